"""One clock for the markets of all visitors, with one budget of time for all of them together."""

from __future__ import annotations

import time
from collections.abc import Callable

from kcmab_abm.lab.model.session import TICK, Session

BUDGET = 0.02  # seconds per round for everybody; the rest is for clicks, messages and new pages
LEAST_SLICE = 0.001  # seconds for a market whose turn it is
LONGEST = 1.0  # seconds that a market may catch up


class FairClock:
    """Plays all markets that are busy, in turn.

    A round lasts about as long as its budget, however many markets play. Those that it did not
    come to are the first of the next round, and are then given the time that has passed.
    """

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._last: dict[Session, float] = {}  # when each had its turn; the longest ago comes first

    def __len__(self) -> int:
        return len(self._last)

    def add(self, session: Session) -> None:
        """Play this session's markets from now on."""
        self._last[session] = self._now()

    def discard(self, session: Session) -> None:
        """Play them no longer."""
        self._last.pop(session, None)

    def round(self, budget: float = BUDGET) -> float:
        """Give as many busy sessions a turn as there is time for; return the seconds spent."""
        begun = self._now()
        busy = [session for session in self._last if session.busy]
        slice_ = max(LEAST_SLICE, budget / max(1, len(busy)))
        for session in busy:
            now = self._now()
            if now - begun >= budget:
                break
            passed = now - self._last.pop(session)
            self._last[session] = now
            session.tick(max(TICK, min(passed, LONGEST)), slice_)
        self._rest(begun)
        return self._now() - begun

    def _rest(self, now: float) -> None:
        """No time passes for a market that is not played."""
        for session in self._last:
            if not session.busy:
                self._last[session] = now
