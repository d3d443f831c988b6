"""Where visitors were, kept for an hour, so that a reload or a locked phone loses nothing."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping

LIFETIME = 3600.0  # seconds after a page was last heard of
MOST_KEPT = 2000
MOST_CHARACTERS = 32_000_000  # of all states together

State = Mapping[str, str]


class Visits:
    """The states of pages, as the words of an address, by the name of the visit."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[str, tuple[float, dict[str, str]]] = {}  # the latest comes last
        self._characters = 0

    @staticmethod
    def new_name() -> str:
        """A name that nobody guesses."""
        return secrets.token_urlsafe(9)

    def keep(self, name: str, state: State) -> None:
        """Remember where a page is now."""
        self._forget(name)
        self._kept[name] = self._clock(), dict(state)
        self._characters += _length(state)
        while len(self._kept) > MOST_KEPT or self._characters > MOST_CHARACTERS:
            self._forget(next(iter(self._kept)))

    def recall(self, name: str) -> dict[str, str] | None:
        """Where a page was within the last hour; None if that is not known."""
        self._expire()
        found = self._kept.get(name)
        return None if found is None else dict(found[1])

    def _expire(self) -> None:
        now = self._clock()
        for name in [name for name, (kept, _) in self._kept.items() if now - kept > LIFETIME]:
            self._forget(name)

    def _forget(self, name: str) -> None:
        if found := self._kept.pop(name, None):
            self._characters -= _length(found[1])


def _length(state: State) -> int:
    return sum(map(len, state.values()))
