"""One visitor's session: her setup, her markets, and the clock that plays them."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model.market_setup import Setup
from kcmab_abm.lab.model.memory import Memory, needed_for
from kcmab_abm.lab.model.rewindable_market import RewindableMarket

News = Literal["opened", "moved", "revealed", "paced", "failed"]

TICK = 0.045  # seconds between updates: 20 per second, with some allowance for late timers
BUDGET = 0.02  # seconds per tick, if nobody says how many
TOP_SPEED = 0  # customers per second: as many as there is time for
SPEEDS = (1, 3, 10, 30, 100, 1000, TOP_SPEED)

_MORE = 2000  # customers for whom memory is reserved at a time
MEMORY = Memory()  # of all visitors


class Session:
    """The markets of one visitor, and the clock that plays them; visitors share nothing.

    Listeners are told when a setup was `opened` (everything is new), when the market `moved`
    forwards or backwards, when true means were `revealed` or hidden, when playing started, stopped
    or changed speed (`paced`), and when a visitor's own policy or behaviour `failed` (`failure`
    says how).
    """

    def __init__(self, setup: Setup) -> None:
        self.listeners: list[Callable[[News], None]] = []
        self.speed = 3
        self.failure = ""
        self._last = setup.scenario.horizon  # where playing to the next payment ends
        self.open(setup)

    def follow(self, listener: Callable[[News], None]) -> None:
        """Tell a listener that a setup is open, and everything that happens from now on."""
        listener("opened")
        self.listeners.append(listener)

    def open(self, setup: Setup) -> None:
        """Open another setup and play it to where it was left.

        Raises a `MarketError` if there is no memory for it; then nothing changes.
        """
        self._reserve(setup, 0)
        markets = [RewindableMarket(setup.scenario, policy) for policy in setup.policies]
        self.setup, self.markets = setup, markets
        self.playing = self.until_payment = False
        self._goal = setup.shown
        self._due = 0.0
        self.tell("opened")

    def _reserve(self, setup: Setup, customers: int) -> None:
        """Reserve the memory for so many customers, and for some more."""
        self._room = min(customers + _MORE if customers else 0, setup.scenario.horizon)
        MEMORY.reserve(self, needed_for(setup.scenario, setup.policies, self._room))

    def change(self, **settings: Any) -> None:
        """Change top-level settings of the scenario; nothing changes if they are invalid."""
        self.open(self.setup.change(**settings))

    @property
    def shown(self) -> int:
        """The number of customers served."""
        return self.markets[0].shown if self.markets else 0

    @property
    def place(self) -> int:
        """The number of customers served, or still to be served on the way to where she was."""
        return max(self.shown, self._goal)

    @property
    def is_over(self) -> bool:
        """True if the last customer has left."""
        return self.markets[0].is_over

    @property
    def busy(self) -> bool:
        """True if the clock has anything to do."""
        return self.playing or self.until_payment or self.shown < self._goal

    def state(self) -> Setup:
        """The setup as it looks now, for a link."""
        return replace(self.setup, shown=self.place)

    def reveal(self, revealed: bool) -> None:
        """Show or hide the true means."""
        self.setup = replace(self.setup, revealed=revealed)
        self.tell("revealed")

    def play(self) -> None:
        """Let customers arrive by themselves."""
        self.playing, self._due = not self.is_over, 0.0
        self.tell("paced")

    def pause(self) -> None:
        """Stop the clock."""
        self.playing = self.until_payment = False
        self._goal = 0
        self.tell("paced")

    def play_or_pause(self) -> None:
        """Pause if the clock is running, else play."""
        if self.busy:
            self.pause()
        else:
            self.play()

    def set_speed(self, speed: int) -> None:
        """Set the number of customers per second; `TOP_SPEED` is as many as possible."""
        self.speed = speed
        self.tell("paced")

    def one_customer(self) -> None:
        """Let the next customer choose."""
        self.pause()
        self._forward()
        self.tell("moved")

    def next_payment(self, last: int | None = None) -> None:
        """Let customers arrive until one is paid, or until the last one of interest has come."""
        self.pause()
        self._last = self.setup.scenario.horizon if last is None else last
        self.until_payment = self.shown < self._last
        self.tell("paced")

    def more(self, customers: int) -> None:
        """Let so many customers arrive as fast as possible, and stop."""
        self.pause()
        self._goal = min(self.shown + customers, self.setup.scenario.horizon)
        self.tell("paced")

    def undo(self) -> None:
        """Take the last step back."""
        self.pause()
        if not all(market.may_go_back for market in self.markets):
            if self.shown > 0:  # what she saw is not kept: play up to there once more
                self.open(replace(self.setup, shown=self.shown - 1))
            return
        for market in self.markets:
            market.back()
        self.tell("moved")

    def reset(self) -> None:
        """Go back to the first customer."""
        self.open(replace(self.setup, shown=0))

    def tick(self, seconds: float = TICK, budget: float = BUDGET) -> None:
        """Serve the customers due after so many seconds, as far as the time budget allows."""
        if not self.busy:
            return
        end = time.perf_counter() + budget
        coming = seconds * self.speed
        # Customers whom there was no time to serve do not pile up.
        self._due = min(self._due, max(1.0, coming)) + coming
        before = self.shown
        while self._is_due() and time.perf_counter() < end:
            self._forward()
            self._due = max(0.0, self._due - 1.0)
            paid = self.until_payment and any(market.paid_now() for market in self.markets)
            if paid or self.shown >= self._last:
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
        """Show one more customer in all markets, or in none of them if one fails."""
        before = self.shown
        try:
            if before >= self._room and not self.is_over:
                self._reserve(self.setup, before + 1)
            for market in self.markets:
                market.forward()
        except Exception as error:  # visitors' own functions may raise anything
            for market in self.markets:
                market.shown = before
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.failure = str(error)
        if not isinstance(error, MarketError):
            self.failure = f"a function failed: {type(error).__name__}: {error}"
            traceback.print_exception(error)  # on the terminal, for the author of the function
        self.pause()
        self.tell("failed")

    def tell(self, news: News) -> None:
        """Tell all listeners."""
        for listener in self.listeners:
            listener(news)

    def close(self) -> None:
        """Free the markets because the visitor has left."""
        self.listeners.clear()
        self.pause()
        self.markets = []
        MEMORY.release(self)
