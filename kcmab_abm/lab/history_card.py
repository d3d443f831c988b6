"""The history of one arm: its 0-1 string, and its way through the lattice of ones and zeros."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from nicegui import ui

from kcmab_abm.lab.session import News, Session
from kcmab_abm.lab.show import Show
from kcmab_abm.lab.theme import OFFER, SIDES, card, chart
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
            self.string = ui.label().classes("lab-mono lab-small").props("data-testid=string")
            self.words = ui.label().classes("lab-small").props("data-testid=lattice")
            self.chart = chart(
                {"name": "zeros", "min": 0, "minInterval": 1},
                {"name": "ones", "min": 0, "minInterval": 1, "nameGap": 34},
                [],
                tooltip={"show": False},
            )
            self.chart.props('role=img aria-label="Ones and zeros of the arm"')
            self.boundary = ui.label().classes("lab-quiet lab-small")
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
        self.chart.visible = self.boundary.visible = is_binary
        if not is_binary:
            self.string.text = ""
            self.words.text = "A string of ones and zeros needs rewards of 0 or 1 (law bernoulli)."
            return
        tape = np.array(show.tape(arm), np.int64)
        ones, zeros = int(tape.sum()), len(tape) - int(tape.sum())
        letters = "".join(map(str, tape[-LETTERS:]))
        self.string.text = ("… " if len(tape) > LETTERS else "") + letters or "nothing yet"
        self.words.text = f"{len(tape):,} rewards: {ones:,} ones, {zeros:,} zeros"
        self.words.props(f"data-ones={ones} data-zeros={zeros}")
        self._draw_lattice(show, arm, side, tape)

    def _draw_lattice(self, show: Show, arm: int, side: int, tape: Any) -> None:
        ones = np.concatenate([[0], np.cumsum(tape)])
        zeros = np.arange(len(ones)) - ones
        width, height = max(_LEAST, int(zeros[-1]) + 2), max(_LEAST, int(ones[-1]) + 2)
        options = self.chart.options
        options["xAxis"]["max"], options["yAxis"]["max"] = width, height
        kept = np.unique(np.linspace(0, len(tape), min(_POINTS, len(tape) + 1)).astype(int))
        path = np.column_stack([zeros[kept], ones[kept]]).tolist()
        options["series"] = [
            {
                "type": "line",
                "name": "the arm's path",
                "color": SIDES[side],
                "symbol": "none",
                "lineStyle": {"width": 2.5},
                "data": path,
            },
            {
                "type": "scatter",
                "name": "now",
                "symbol": "diamond",
                "symbolSize": 13,
                "color": SIDES[side],
                "data": path[-1:],
            },
            self._boundary(show, arm, width, height),
        ]
        self.chart.update()

    def _boundary(self, show: Show, arm: int, width: int, height: int) -> dict[str, Any]:
        """Where the opponent of the proof stops; it takes the true mean to know."""
        market, tosses = show.scenario.market, min(show.scenario.horizon, LONGEST_RULE)
        data: list[list[int]] = []
        if not self.session.desk.revealed:
            self.boundary.text = (
                "The boundary of the stopping problem is drawn from the true mean: reveal it first."
            )
        elif not market.is_steady:
            self.boundary.text = (
                "The stopping problem is about a mean that stays; this one changes."
            )
        else:
            mean = float(market.arms[arm].mean)
            data = [
                point for point in _stops(mean, tosses) if point[0] <= width and point[1] <= height
            ]
            self.boundary.text = (
                f"On and below the boundary an opponent who wants the share of ones low, and may "
                f"toss {tosses:,} times a coin of mean {mean:g}, would stop (the paper's DP)."
            )
        return {
            "type": "line",
            "name": "DP boundary",
            "color": OFFER,
            "symbol": "none",
            "step": "end",
            "lineStyle": {"width": 2, "type": "dashed"},
            "data": data,
        }


@lru_cache(maxsize=64)
def _stops(mean: float, tosses: int) -> list[list[int]]:
    """For every number of zeros the most ones at which it pays to stop before the last toss."""
    rule = stopping_rule(mean, tosses)
    most: dict[int, int] = {}
    for tossed, ones in enumerate(rule[:-1].tolist(), start=1):
        if ones >= 0:
            most[tossed - ones] = max(ones, most.get(tossed - ones, 0))
    return [[zeros, ones] for zeros, ones in sorted(most.items())]
