"""The market's SimPy events and processes without the model.

Independent of the package's own processes, so that changes there show in the ratio.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from typing import Any
from unittest import mock

import simpy

AFTER_ALL_ELSE = 2

Process = Generator[simpy.Event, Any, None]


class Arrival(simpy.Event):
    """A timeout that fires after everything else at the same moment."""

    def __init__(self, env: simpy.Environment, delay: float) -> None:
        super().__init__(env)
        self._ok = True
        self._value = None
        env.schedule(self, priority=AFTER_ALL_ELSE, delay=delay)  # type: ignore[arg-type]


class Wire:
    """An event that carries a message and the event after it."""

    def __init__(self, env: simpy.Environment) -> None:
        self.env = env
        self.next = env.event()

    def send(self, message: object) -> None:
        """Trigger the event and create the next one."""
        news, self.next = self.next, self.env.event()
        news.succeed((message, self.next))


class Skeleton:
    """Customers arrive, wait to be served, leave a receipt and a report."""

    def __init__(self, customers: int) -> None:
        self.customers = customers
        self.env = simpy.Environment()
        self.arrivals = Wire(self.env)
        self.receipts = Wire(self.env)
        self.reports = Wire(self.env)

    def arrive(self) -> Process:
        """One process for each customer."""
        for _ in range(self.customers):
            yield Arrival(self.env, 1.0)
            self.env.process(self.visit(self.env.event()))

    def visit(self, posted: simpy.Event) -> Process:
        """Ring, wait, leave a receipt, report."""
        self.arrivals.send(posted)
        yield posted
        self.receipts.send(posted)
        self.reports.send(posted)

    def serve(self) -> Process:
        """Answer every ring."""
        news = self.arrivals.next
        while True:
            posted, news = yield news
            posted.succeed(None)

    def listen(self, wire: Wire) -> Process:
        """Receive every message and do nothing."""
        news = wire.next
        while True:
            _, news = yield news

    def run(self) -> None:
        """Let every customer through."""
        agents = [
            self.serve(),
            self.listen(self.reports),
            self.listen(self.receipts),
            self.arrive(),
        ]
        for agent in agents:
            self.env.process(agent)
        self.env.run()


def run_skeleton(customers: int) -> None:
    """One run of the skeleton."""
    Skeleton(customers).run()


def count_events(run: Callable[[], object]) -> Counter[tuple[str, int]]:
    """Count the events of each kind and priority that a run schedules."""
    counts: Counter[tuple[str, int]] = Counter()
    schedule = simpy.Environment.schedule

    def counting(
        env: simpy.Environment, event: simpy.Event, priority: int = 1, delay: float = 0
    ) -> None:
        counts[type(event).__name__, int(priority)] += 1
        schedule(env, event, priority, delay)  # type: ignore[arg-type]

    with mock.patch.object(simpy.Environment, "schedule", counting):
        run()
    return counts
