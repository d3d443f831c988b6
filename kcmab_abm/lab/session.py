"""One visitor of the page: her desk, her markets, and the clock that plays them."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.desk import Desk
from kcmab_abm.lab.show import Show

News = Literal["opened", "moved", "revealed", "paced", "failed"]

TICK = (
    0.045  # seconds between two updates of the page: timers are late, and 20 a second are promised
)
BUDGET = 0.02  # seconds of a tick in which customers are served, so that others get their turn
TOP_SPEED = 0  # customers a second: as many as there is time for
SPEEDS = (1, 3, 10, 30, 100, 1000, TOP_SPEED)


class Session:
    """What one visitor plays with. Two visitors share nothing.

    Tabs listen: they are told that a desk was `opened` (everything is new), that customers were
    shown or taken back (`moved`), that true means were `revealed` or hidden, and that playing
    began, ended or changed its speed (`paced`), and that somebody's own policy or behaviour broke
    (`failed`; `failure` says how).
    """

    def __init__(self, desk: Desk) -> None:
        self.listeners: list[Callable[[News], None]] = []
        self.speed = 3
        self.failure = ""
        self.open(desk)

    def open(self, desk: Desk) -> None:
        """Put another desk before the visitor, and play it to where it was left."""
        shows = [Show(desk.scenario, policy) for policy in desk.policies]
        self.desk, self.shows = desk, shows
        self.playing = self.until_payment = False
        self._goal = desk.shown
        self._due = 0.0
        self.tell("opened")

    def change(self, **settings: Any) -> None:
        """Change top-level settings of the scenario; a `ScenarioError` leaves all as it was."""
        self.open(self.desk.change(**settings))

    def arrange(self, left: int, right: int | None) -> None:
        """Choose whose markets are shown, from the first customer on."""
        self.open(replace(self.desk, left=left, right=right, shown=0))

    @property
    def shown(self) -> int:
        """How many customers have come and gone."""
        return self.shows[0].shown if self.shows else 0

    @property
    def is_over(self) -> bool:
        """Whether the last customer has left."""
        return self.shows[0].is_over

    @property
    def busy(self) -> bool:
        """Whether the clock has anything to do."""
        return self.playing or self.until_payment or self.shown < self._goal

    def state(self) -> Desk:
        """The desk as it looks now, for a link."""
        return replace(self.desk, shown=self.shown)

    def reveal(self, revealed: bool) -> None:
        """Show or hide the true means."""
        self.desk = replace(self.desk, revealed=revealed)
        self.tell("revealed")

    def play(self) -> None:
        """Let customers come by themselves."""
        self.playing, self._due = not self.is_over, 0.0
        self.tell("paced")

    def pause(self) -> None:
        """Stop the clock."""
        self.playing = self.until_payment = False
        self._goal = 0
        self.tell("paced")

    def set_speed(self, speed: int) -> None:
        """Choose how many customers come in a second; `TOP_SPEED` for as many as possible."""
        self.speed = speed
        self.tell("paced")

    def one_customer(self) -> None:
        """Let the customer before the board go on."""
        self.pause()
        self._forward()
        self.tell("moved")

    def next_payment(self) -> None:
        """Let customers come until one is paid."""
        self.pause()
        self.until_payment = not self.is_over
        self.tell("paced")

    def undo(self) -> None:
        """Take the last step back."""
        self.pause()
        for show in self.shows:
            show.back()
        self.tell("moved")

    def reset(self) -> None:
        """Back to the first customer."""
        self.open(replace(self.desk, shown=0))

    def tick(self, seconds: float = TICK, budget: float = BUDGET) -> None:
        """Serve the customers that are due after so many seconds, within a budget of time."""
        if not self.busy:
            return
        end = time.perf_counter() + budget
        coming = seconds * self.speed
        self._due = (
            min(self._due, max(1.0, coming)) + coming
        )  # those not served in time are let off
        before = self.shown
        while self._is_due() and time.perf_counter() < end:
            self._forward()
            self._due = max(0.0, self._due - 1.0)
            if self.until_payment and any(show.paid_now() for show in self.shows):
                self.until_payment = False
        if self.shown > before:
            self.tell("moved")
        if self.is_over and self.busy:
            self.pause()
        elif not self.busy:
            self.tell("paced")

    def _is_due(self) -> bool:
        if self.is_over:
            return False
        hurried = self.until_payment or self.shown < self._goal
        return hurried or (self.playing and (self.speed == TOP_SPEED or self._due >= 1.0))

    def _forward(self) -> None:
        """Show one customer more in all markets, or in none of them if one breaks."""
        before = self.shown
        try:
            for show in self.shows:
                show.forward()
        except Exception as error:  # functions that visitors have written may raise anything
            for show in self.shows:
                show.shown = before
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.failure = str(error)
        if not isinstance(error, MarketError):
            self.failure = f"a function broke: {type(error).__name__}: {error}"
            traceback.print_exception(error)  # for whoever wrote it, on her terminal
        self.pause()
        self.tell("failed")

    def tell(self, news: News) -> None:
        """Tell all who listen."""
        for listener in self.listeners:
            listener(news)

    def close(self) -> None:
        """Forget the markets; the visitor has gone."""
        self.listeners.clear()
        self.playing = self.until_payment = False
        self._goal = 0
        self.shows = []
