"""The history of one arm: its string of rewards, and its path of ones and zeros."""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import Any

import numpy as np
from nicegui import ui

from kcmab_abm.lab.model.rewindable_market import RewindableMarket
from kcmab_abm.lab.model.session import News, Session
from kcmab_abm.lab.widgets.live_plot import LivePlot, series
from kcmab_abm.lab.widgets.live_updates import LiveText
from kcmab_abm.lab.widgets.theme import card
from kcmab_abm.theory import stopping_boundary

LETTERS = 60  # of the string that are shown
LONGEST_RULE = 1000  # tosses for which the boundary is computed
_POINTS = 150  # of the path
_LEAST = 10  # ones and zeros on the axes, at least


class HistoryCard:
    """The rewards of an arm as a string and as a path, as in the paper's proof."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with card("History of an arm"):
            with ui.element("div").classes("lab-fields"):
                self.arm = ui.select([0], value=0, label="arm", on_change=self.draw)
                self.side = ui.select({0: ""}, value=0, label="market", on_change=self.draw)
                for select in (self.arm, self.side):
                    select.props("dense outlined options-dense")
            self.string = LiveText("string").classes("lab-mono lab-small")
            self.words = LiveText("lattice").classes("lab-small")
            self.plot = LivePlot(high=260)
            self.boundary = LiveText("boundary").classes("lab-quiet lab-small")
        session.follow(self.hear)

    def hear(self, news: News) -> None:
        """Follow the market."""
        if news == "opened":
            arms = len(self.session.setup.scenario.market.arms)
            names = {side: market.policy.label for side, market in enumerate(self.session.markets)}
            self.arm.set_options(
                {arm: f"arm {arm}" for arm in range(arms)}, value=min(self.arm.value or 0, arms - 1)
            )
            self.side.set_options(names, value=self.side.value if self.side.value in names else 0)
            self.side.visible = len(names) > 1
        if news != "paced":
            self.draw()

    def draw(self) -> None:
        """Show the arm that was chosen."""
        side, arm = int(self.side.value or 0), int(self.arm.value or 0)
        if side >= len(self.session.markets):
            return
        market = self.session.markets[side]
        is_binary = market.scenario.market.arms[arm].law.name == "bernoulli"
        self.plot.visible = is_binary
        if not is_binary:
            self.string.say("")
            self.words.say("Shown only for arms with rewards of 0 or 1 (the Bernoulli law).")
            self.boundary.say("")
            return
        tape = np.array(market.tape(arm), np.int64)
        ones, zeros = int(tape.sum()), len(tape) - int(tape.sum())
        letters = "".join(map(str, tape[-LETTERS:].tolist()))
        self.string.say(("… " if len(tape) > LETTERS else "") + letters or "no rewards yet")
        self.words.say(f"{len(tape):,} rewards: {ones:,} ones, {zeros:,} zeros", f"{ones} {zeros}")
        self._draw_lattice(market, arm, side, tape)

    def _draw_lattice(self, market: RewindableMarket, arm: int, side: int, tape: Any) -> None:
        ones = np.concatenate([[0], np.cumsum(tape)])
        zeros = np.arange(len(ones)) - ones
        right, top = max(_LEAST, int(zeros[-1]) + 2), max(_LEAST, int(ones[-1]) + 2)
        kept = np.unique(np.linspace(0, len(tape), min(_POINTS, len(tape) + 1)).astype(int))
        path = np.column_stack([zeros[kept], ones[kept]]).tolist()
        words, boundary = self._stops(market, arm)
        self.boundary.say(words)
        stops = within(boundary, right, top)
        self.plot.draw(
            f"Ones and zeros of arm {arm}",
            "zeros",
            "ones",
            [
                series("the arm's path", f"side-{side}", path),
                series("now", f"side-{side}", path[-1:], "point"),
                series("stopping boundary" if stops else "", "offer", stops, "step", dashes="5 4"),
            ],
            right=right,
            top=top,
            whole=True,
        )

    def _stops(self, market: RewindableMarket, arm: int) -> tuple[str, list[tuple[int, int]]]:
        """The stopping boundary, which depends on the true mean: an explanation and its points."""
        scenario = market.scenario
        tosses = min(scenario.horizon, LONGEST_RULE)
        if not self.session.setup.revealed:
            return "Show the true means to see the boundary of the paper's stopping problem.", []
        if not scenario.market.is_steady:
            return "The stopping problem is defined for constant means; this one changes.", []
        mean = float(scenario.market.arms[arm].mean)
        if mean in (0.0, 1.0):
            return "This arm always pays the same, so it does not matter when to stop.", []
        words = (
            f"The paper's stopping problem: somebody tosses a coin that shows 1 with probability "
            f"{mean:g} up to {tosses:,} times and wants to stop when the share of ones is as low "
            "as possible. The best rule is to stop on or below the boundary."
        )
        return words, _boundary(mean, tosses)


def within(stops: list[tuple[int, int]], right: int, top: int) -> list[tuple[int, int]]:
    """The visible part of a boundary, from the bottom to where it leaves the plot.

    >>> within([(1, 4), (2, 9), (3, 15), (4, 22)], right=10, top=10)
    [(1, 0), (1, 4), (2, 9), (3, 10)]
    """
    inside = [(zeros, ones) for zeros, ones in stops if zeros <= right]
    if not inside:
        return []
    shown = list(itertools.takewhile(lambda stop: stop[1] <= top, inside))
    leaves = [(inside[len(shown)][0], top)] if len(shown) < len(inside) else []
    return [(inside[0][0], 0), *shown, *leaves]


_boundary = lru_cache(maxsize=64)(stopping_boundary)
