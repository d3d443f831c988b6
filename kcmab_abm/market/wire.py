"""How agents talk: events on a wire, each carrying one message to everybody who listens."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

Process = Generator[simpy.Event, Any, None]

AFTER_ALL_ELSE = 2  # SimPy's own priorities are 0 (urgent) and 1 (normal)


class Wire:
    """A chain of events. Each carries a message and the next event, so no listener misses one.

    >>> env = simpy.Environment()
    >>> wire = Wire(env)
    >>> def listen(news):
    ...     while True:
    ...         message, news = yield news
    ...         print(env.now, message)
    >>> _ = env.process(listen(wire.next))
    >>> wire.send("first"); wire.send("second")
    >>> env.run()
    0 first
    0 second
    """

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self.next = env.event()

    def send(self, message: Any) -> None:
        """Tell everybody who listens, now."""
        news, self.next = self.next, self._env.event()
        news.succeed((message, self.next))


class Arrival(simpy.Event):
    """A timeout that fires after everything else that happens at the same moment.

    A customer who comes at the very moment when a report arrives, or right behind another
    customer, finds the book up to date.
    """

    def __init__(self, env: simpy.Environment, delay: float) -> None:
        super().__init__(env)
        self._ok = True
        self._value = None
        env.schedule(self, priority=AFTER_ALL_ELSE, delay=delay)  # type: ignore[arg-type]
