"""Time things side by side: every candidate once a round, the best of all rounds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Mapping
from typing import NamedTuple, Protocol, TypeVar

NANOSECOND = 1e-9
MICROSECOND = 1e-6

Name = TypeVar("Name", bound=Hashable)


class Timed(Protocol):
    """Something that can say what it costs."""

    def cost(self) -> float:
        """Seconds of processor time a customer, measured now."""


class Task(NamedTuple):
    """Something to time in this process, and how many customers it serves."""

    run: Callable[[], object]
    customers: int = 1

    def cost(self) -> float:
        """Seconds of processor time a customer, measured now."""
        return seconds(self.run) / self.customers


def seconds(run: Callable[[], object]) -> float:
    """How long one call keeps the processor busy; waiting for a turn does not count."""
    start = time.process_time()
    run()
    return time.process_time() - start


def best_of(tasks: Mapping[Name, Timed], rounds: int) -> dict[Name, float]:
    """Seconds a customer for every task, the least of all rounds.

    The tasks take turns, so that whatever else the machine does disturbs all of them alike.
    """
    best = dict.fromkeys(tasks, math.inf)
    for _ in range(rounds):
        for name, task in tasks.items():
            best[name] = min(best[name], task.cost())
    return best


def repetitions(run: Callable[[], object], target: float) -> int:
    """How often to do something so that it takes about `target` seconds in all."""
    once = seconds(run)
    if once < target:
        once = min(once, *(seconds(run) for _ in range(3)))
    return max(1, round(target / once))
