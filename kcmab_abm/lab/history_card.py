"""The history of one arm: its 0-1 string, and its way through the lattice of ones and zeros."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from nicegui import ui

from kcmab_abm.lab.live import Words
from kcmab_abm.lab.plot import Plot, series
from kcmab_abm.lab.session import News, Session
from kcmab_abm.lab.show import Show
from kcmab_abm.lab.theme import card
from kcmab_abm.theory import stopping_rule

LETTERS = 60  # of the string that are shown
LONGEST_RULE = 1000  # tosses for which the boundary is worked out
_POINTS = 150  # of the path
_LEAST = 10  # ones and zeros that the picture shows at least


class HistoryCard:
    """What an arm has paid, as the paper's proof reads it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with card("History of an arm"):
            with ui.element("div").classes("lab-fields"):
                self.arm = ui.select([0], value=0, label="arm", on_change=self.draw)
                self.side = ui.select({0: ""}, value=0, label="market", on_change=self.draw)
                for select in (self.arm, self.side):
                    select.props("dense outlined options-dense")
            self.string = Words("string").classes("lab-mono lab-small")
            self.words = Words("lattice").classes("lab-small")
            self.plot = Plot(high=260)
            self.boundary = Words("boundary").classes("lab-quiet lab-small")
        self.hear("opened")
        session.listeners.append(self.hear)

    def hear(self, news: News) -> None:
        """Go along with the market."""
        if news == "opened":
            arms = len(self.session.desk.scenario.market.arms)
            names = {side: show.policy.label for side, show in enumerate(self.session.shows)}
            self.arm.set_options(
                {arm: f"arm {arm}" for arm in range(arms)}, value=min(self.arm.value or 0, arms - 1)
            )
            self.side.set_options(names, value=self.side.value if self.side.value in names else 0)
            self.side.visible = len(names) > 1
        if news != "paced":
            self.draw()

    def draw(self) -> None:
        """Show the arm that is chosen."""
        side, arm = int(self.side.value or 0), int(self.arm.value or 0)
        if side >= len(self.session.shows):
            return
        show = self.session.shows[side]
        is_binary = show.scenario.market.arms[arm].law.name == "bernoulli"
        self.plot.visible = is_binary
        if not is_binary:
            self.string.say("")
            self.words.say("A string of ones and zeros needs rewards of 0 or 1 (law bernoulli).")
            self.boundary.say("")
            return
        tape = np.array(show.tape(arm), np.int64)
        ones, zeros = int(tape.sum()), len(tape) - int(tape.sum())
        letters = "".join(map(str, tape[-LETTERS:].tolist()))
        self.string.say(("… " if len(tape) > LETTERS else "") + letters or "nothing yet")
        self.words.say(f"{len(tape):,} rewards: {ones:,} ones, {zeros:,} zeros", f"{ones} {zeros}")
        self._draw_lattice(show, arm, side, tape)

    def _draw_lattice(self, show: Show, arm: int, side: int, tape: Any) -> None:
        ones = np.concatenate([[0], np.cumsum(tape)])
        zeros = np.arange(len(ones)) - ones
        right, top = max(_LEAST, int(zeros[-1]) + 2), max(_LEAST, int(ones[-1]) + 2)
        kept = np.unique(np.linspace(0, len(tape), min(_POINTS, len(tape) + 1)).astype(int))
        path = np.column_stack([zeros[kept], ones[kept]]).tolist()
        stops = [(x, min(y, top)) for x, y in self._stops(show, arm) if x <= right]
        self.plot.draw(
            f"Ones and zeros of arm {arm}",
            "zeros",
            "ones",
            [
                series("the arm's path", f"side-{side}", path),
                series("now", f"side-{side}", path[-1:], "point"),
                series("boundary of the DP" if stops else "", "offer", stops, "step", dashes="5 4"),
            ],
            right=right,
            top=top,
            whole=True,
        )

    def _stops(self, show: Show, arm: int) -> list[tuple[int, int]]:
        """Where the opponent of the proof stops; it takes the true mean to know."""
        market, tosses = show.scenario.market, min(show.scenario.horizon, LONGEST_RULE)
        if not self.session.desk.revealed:
            self.boundary.say(
                "The boundary of the stopping problem is drawn from the true mean: reveal it first."
            )
            return []
        if not market.is_steady:
            self.boundary.say("The stopping problem is about a mean that stays; this one changes.")
            return []
        mean = float(market.arms[arm].mean)
        self.boundary.say(
            "On and below the boundary an opponent who wants the share of ones low, and may toss a "
            f"coin of mean {mean:g} up to {tosses:,} times, would stop (the paper's DP)."
        )
        return stops(mean, tosses)


@lru_cache(maxsize=64)
def stops(mean: float, tosses: int) -> list[tuple[int, int]]:
    """For every number of zeros the most ones at which it pays to stop before the last toss."""
    rule = stopping_rule(mean, tosses)
    most: dict[int, int] = {}
    for tossed, ones in enumerate(rule[:-1].tolist(), start=1):
        if ones >= 0:
            most[tossed - ones] = max(ones, most.get(tossed - ones, 0))
    return sorted(most.items())
