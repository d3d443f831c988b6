"""The costs so far, with the paper's bounds, and the pulls per arm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from nicegui import ui

from kcmab_abm.lab.model.session import News, Session
from kcmab_abm.lab.widgets.live_plot import LivePlot, series
from kcmab_abm.lab.widgets.theme import card
from kcmab_abm.lab.widgets.totals_table import TotalsTable
from kcmab_abm.theory.applicable import Yardstick, withheld_in_words, yardsticks

_POINTS = 200  # of a curve: more would not be visible
_BOUND_POINTS = 40
_DASHES = {"upper bound": "2 3", "asymptotic slope": "12 4 2 4", "leading terms": "2 8"}
_HIDDEN = "Regret and bounds are hidden like the true means, which they would give away."
KINDS = {
    "upper bound": "upper bound",
    "asymptotic slope": "asymptotic slope, not a lower limit",
    "leading terms": "leading terms only",
}


class CostCard:
    """Regret and compensation as numbers and curves."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.drawn: list[dict[str, Any]] = []  # the bounds
        with card("Cost so far"):
            self.totals = TotalsTable()
            self.plot = LivePlot(high=250)
            self.bounds = ui.switch("Show the paper's bounds", on_change=self._rebuild)
            self.words = ui.column().classes("gap-0 lab-small")
        session.follow(self.hear)

    def hear(self, news: News) -> None:
        """Follow the market."""
        if news in ("opened", "revealed"):
            self._rebuild()
        elif news == "moved":
            self._move()

    def _rebuild(self) -> None:
        revealed = self.session.setup.revealed
        wanted = bool(self.bounds.value) and revealed
        found = _yardsticks(self.session) if wanted else []
        horizon = self.session.setup.scenario.horizon
        self.drawn = [_bound(each, horizon) for each in found]
        self.words.clear()
        with self.words:
            for each in found:
                _spell(each, horizon)
            for line in _withheld(self.session) if wanted else []:
                ui.label(line)
            if not revealed:
                ui.label(_HIDDEN).props("data-testid=hidden")
        self._move()

    def _move(self) -> None:
        revealed = self.session.setup.revealed
        self.totals.show(self.session, revealed)
        lines = _curves(self.session, revealed) + self.drawn
        self.plot.draw(
            "Regret and compensation, customer by customer", "customers", "cost so far", lines
        )


def _curves(session: Session, revealed: bool) -> list[dict[str, Any]]:
    """One colour per market; solid lines for regret, dashed lines for compensation.

    Regret is drawn only if the true means are shown, because its steps give them away.
    """
    lines = []
    for side, market in enumerate(session.markets):
        curve, label, ink = market.curve(_POINTS), market.policy.label, f"side-{side}"
        regret = [(n, round(value, 3)) for n, value, _ in curve]
        paid = [(n, round(value, 3)) for n, _, value in curve]
        if revealed:
            lines.append(series(f"regret, {label}", ink, regret))
        lines.append(series(f"compensation, {label}", ink, paid, dashes="7 5"))
    return lines


def _yardsticks(session: Session) -> list[Yardstick]:
    """The bounds for the controllers shown, each once."""
    labels = {market.policy.label for market in session.markets}
    found = [each for each in yardsticks(session.setup.scenario) if each.policy in labels]
    # The slopes depend on the arms alone and are the same for every controller.
    once = {
        (each.name, each.measure, each.kind != "asymptotic slope" and each.policy): each
        for each in found
    }
    horizon = session.setup.scenario.horizon
    return [each for each in once.values() if math.isfinite(each.value(horizon))]


def _withheld(session: Session) -> list[str]:
    """The bounds that are not shown for the controllers, and why."""
    labels = {market.policy.label for market in session.markets}
    lines = withheld_in_words(session.setup.scenario, labels)
    return [line[0].upper() + line[1:] + "." for line in lines]


def _bound(each: Yardstick, horizon: int) -> dict[str, Any]:
    places = np.unique(np.geomspace(min(2, horizon), horizon, _BOUND_POINTS).round())
    points = [(int(n), round(each.value(float(n)), 2)) for n in places]
    name = f"{each.name}, {each.measure}: {KINDS[each.kind]}"
    return series(name, "quiet", points, dashes=_DASHES[each.kind], width=1.5)


def _spell(each: Yardstick, horizon: int) -> None:
    whose = "" if each.kind == "asymptotic slope" else f" of {each.policy}"
    value = each.value(float(horizon))
    what = f"{each.name}, {each.measure}{whose}: {KINDS[each.kind]}"
    ui.label(f"{what}, {value:,.1f} after {horizon:,} customers").props["data-value"] = value


class PullsCard:
    """The number of customers who have taken each arm."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with card("Pulls per arm"):
            self.plot = LivePlot(high=150)
        session.follow(self.hear)

    def hear(self, news: News) -> None:
        """Follow the market."""
        if news in ("opened", "moved"):
            arms = range(len(self.session.setup.scenario.market.arms))
            bars = [
                series(
                    market.policy.label,
                    f"side-{side}",
                    [(arm, market.taken(arm)) for arm in arms],
                    "bar",
                    place=side,
                    of=len(self.session.markets),
                )
                for side, market in enumerate(self.session.markets)
            ]
            labels = [str(arm) for arm in arms]
            self.plot.draw("Pulls per arm", "arm", "customers", bars, labels=labels, whole=True)
