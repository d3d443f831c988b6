"""Whose turn it is: everybody who is there, one after the other, those with fewest turns first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass
class Turn:
    """The turn of a student; `left` are the seconds that she had when the clock was stopped."""

    who: int
    begun: float
    deadline: float
    left: float | None = None


class Turns:
    """The order of a room."""

    def __init__(self) -> None:
        self._taken: dict[int, int] = {}  # turns so far
        self._last: dict[int, int] = {}  # and when the last one was
        self._count = 0

    def note(self, who: int) -> None:
        """Count a turn."""
        self._count += 1
        self._taken[who] = self._taken.get(who, 0) + 1
        self._last[who] = self._count

    def taken(self, who: int) -> int:
        """The number of turns that a student has had."""
        return self._taken.get(who, 0)

    def queue(self, present: Iterable[int]) -> list[int]:
        """Those who are there, the next one first."""
        return sorted(present, key=lambda who: (self.taken(who), self._last.get(who, 0), who))
