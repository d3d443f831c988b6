"""Time tasks side by side: each once per round, the best of all rounds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Mapping
from typing import NamedTuple, Protocol, TypeVar

NANOSECOND = 1e-9
MICROSECOND = 1e-6

Name = TypeVar("Name", bound=Hashable)


class Timed(Protocol):
    """A task that measures its own cost."""

    def cost(self) -> float:
        """Seconds of processor time a customer, measured now."""


class Task(NamedTuple):
    """A function to time in this process, and the number of customers it serves."""

    run: Callable[[], object]
    customers: int = 1

    def cost(self) -> float:
        """Seconds of processor time a customer, measured now."""
        return seconds(self.run) / self.customers


def seconds(run: Callable[[], object]) -> float:
    """The processor time of one call, excluding waiting."""
    start = time.process_time()
    run()
    return time.process_time() - start


def best_of(tasks: Mapping[Name, Timed], rounds: int) -> dict[Name, float]:
    """Seconds per customer for every task, the minimum over all rounds.

    The tasks take turns, so that other load on the machine affects all of them alike.
    """
    best = dict.fromkeys(tasks, math.inf)
    for _ in range(rounds):
        for name, task in tasks.items():
            best[name] = min(best[name], task.cost())
    return best


def repetitions(run: Callable[[], object], target: float) -> int:
    """The number of repetitions that take about `target` seconds in total."""
    once = seconds(run)
    if once < target:
        once = min(once, *(seconds(run) for _ in range(3)))
    return max(1, round(target / once))
