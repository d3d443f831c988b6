"""A queue of long tasks: the shortest first, but nobody waits for ever, and a quota per visitor."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field

from kcmab_abm.errors import MarketError

MOST_OWN = 2  # tasks of one visitor that wait or run
PATIENCE = 1_000_000.0  # how much shorter than its size a task counts per second that it has waited


@dataclass(eq=False)
class Ticket:
    """A task in the queue, from waiting to done."""

    act: Callable[[], None]
    size: float
    owner: str
    since: float
    done: Future[None] = field(default_factory=Future)


class BatchQueue:
    """Runs tasks in a few threads; a waiting task becomes more urgent with time."""

    def __init__(self, lanes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pool = ThreadPoolExecutor(lanes, thread_name_prefix="batch")
        self._lock = threading.Lock()
        self._waiting: list[Ticket] = []
        self._running: list[Ticket] = []

    def submit(self, act: Callable[[], None], size: float, owner: str = "") -> Ticket:
        """Queue a task; raises a `MarketError` if its owner has too many. '' owns any number."""
        with self._lock:
            own = [each for each in self._waiting + self._running if owner and each.owner == owner]
            if len(own) >= MOST_OWN:
                raise MarketError(
                    f"you already have {len(own)} batch runs waiting or running, the most that one "
                    "visitor may have; cancel one, or wait for its end"
                )
            ticket = Ticket(act, size, owner, self._clock())
            self._waiting.append(ticket)
        self._pool.submit(self._serve)
        return ticket

    def place(self, ticket: Ticket) -> int:
        """The number of tasks that will be started before this one; -1 if it does not wait."""
        with self._lock:
            order = sorted(self._waiting, key=self._urgency)
            return order.index(ticket) if ticket in order else -1

    def withdraw(self, ticket: Ticket) -> bool:
        """Take a waiting task out of the queue; False if it has begun."""
        with self._lock:
            if ticket not in self._waiting:
                return False
            self._waiting.remove(ticket)
        ticket.done.set_result(None)
        return True

    def _urgency(self, ticket: Ticket) -> tuple[int, float]:
        """Those of visitors with nothing running come first, then the shortest."""
        runs = sum(1 for each in self._running if ticket.owner and each.owner == ticket.owner)
        return runs, ticket.size - PATIENCE * (self._clock() - ticket.since)

    def _serve(self) -> None:
        with self._lock:
            if not self._waiting:
                return  # it was withdrawn
            ticket = min(self._waiting, key=self._urgency)
            self._waiting.remove(ticket)
            self._running.append(ticket)
        try:
            ticket.act()
        finally:
            with self._lock:
                self._running.remove(ticket)
            ticket.done.set_result(None)


def wait(ticket: Ticket, seconds: float) -> None:
    """Wait until a task is over."""
    wait_for([ticket.done], seconds)
