"""Channels between agents: each message reaches every listener."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import simpy

Process = Generator[simpy.Event, Any, None]

AFTER_ALL_ELSE = 2  # SimPy's own priorities are 0 (urgent) and 1 (normal)


class Channel:
    """A chain of events. Each carries a message and the next event, so no listener misses one.

    >>> env = simpy.Environment()
    >>> channel = Channel(env)
    >>> _ = env.process(channel.listen(lambda message: print(env.now, message)))
    >>> channel.send("first"); channel.send("second")
    >>> env.run()
    0 first
    0 second
    """

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self.next = env.event()

    def send(self, message: Any) -> None:
        """Send a message to all listeners, now."""
        event, self.next = self.next, self._env.event()
        event.succeed((message, self.next))

    def listen(self, hear: Callable[[Any], None]) -> Process:
        """A process that calls `hear` with every message sent from now on."""
        return _listen(self.next, hear)


def _listen(event: simpy.Event, hear: Callable[[Any], None]) -> Process:
    while True:
        message, event = yield event
        hear(message)


class Arrival(simpy.Event):
    """A timeout that fires after all other events at the same time.

    So a customer who arrives at the same time as a report, or as another customer, finds the book
    up to date.
    """

    def __init__(self, env: simpy.Environment, delay: float) -> None:
        super().__init__(env)
        self._ok = True
        self._value = None
        env.schedule(self, priority=AFTER_ALL_ELSE, delay=delay)  # type: ignore[arg-type]
