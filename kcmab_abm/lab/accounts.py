"""The accounts: what it has cost so far, with the paper's bounds, and pulls per arm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from nicegui import ui

from kcmab_abm.lab.session import News, Session
from kcmab_abm.lab.theme import GREY, SIDES, card, chart
from kcmab_abm.yardsticks import Yardstick, yardsticks

_POINTS = 200  # of a curve: more than a chart is pixels wide would be lost
_BOUND_POINTS = 40
_DASHES = {"upper bound": "dotted", "asymptotic slope": [12, 4, 2, 4], "leading terms": [2, 6]}
KINDS = {
    "upper bound": "upper bound",
    "asymptotic slope": "asymptotic slope, not a floor",
    "leading terms": "leading terms only",
}


class TotalsView(ui.element, component="totals_view.js"):
    """Totals, one column a market."""

    def show(self, session: Session) -> None:
        """Show what it has cost so far."""
        self.props["columns"] = [
            {"label": show.policy.label, **show.totals._asdict()} for show in session.shows
        ]
        self.update()


class CostCard:
    """Regret and compensation as numbers and curves."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with card("Accounts"):
            self.totals = TotalsView()
            self.chart = chart(
                {"name": "customers", "min": 0},
                {"name": "", "min": 0},
                [],
                tooltip={
                    "trigger": "axis",
                    "confine": True,
                    ":valueFormatter": "v => v?.toFixed(1)",
                },
            )
            self.chart.props('role=img aria-label="Regret and compensation, customer by customer"')
            self.bounds = ui.switch("The paper's bounds", on_change=self._rebuild)
            self.words = ui.column().classes("gap-0 lab-small")
        self.hear("opened")
        session.listeners.append(self.hear)

    def hear(self, news: News) -> None:
        """Go along with the market."""
        if news == "opened":
            self._rebuild()
        elif news == "moved":
            self._move()

    def _rebuild(self) -> None:
        found = _yardsticks(self.session) if self.bounds.value else []
        self.chart.options["series"] = _curves(self.session) + [
            _bound(each, self.session) for each in found
        ]
        self.words.clear()
        with self.words:
            for each in found:
                _spell(each, self.session.desk.scenario.horizon)
            if self.bounds.value and not found:
                ui.label("The paper has no bound for this market.")
        self._move()

    def _move(self) -> None:
        self.totals.show(self.session)
        series = self.chart.options["series"]
        for side, show in enumerate(self.session.shows):
            curve = show.curve(_POINTS)
            series[2 * side]["data"] = [[n, round(regret, 3)] for n, regret, _ in curve]
            series[2 * side + 1]["data"] = [[n, round(paid, 3)] for n, _, paid in curve]
        self.chart.update()


def _curves(session: Session) -> list[dict[str, Any]]:
    """The curves without their data: a colour a market, solid for regret, dashed for payments."""
    return [
        {
            "type": "line",
            "name": f"{measure}, {show.policy.label}",
            "symbol": "none",
            "lineStyle": {"width": 2.5, "type": dashes},
            "color": SIDES[side],
            "data": [],
        }
        for side, show in enumerate(session.shows)
        for measure, dashes in (("regret", "solid"), ("compensation", "dashed"))
    ]


def _yardsticks(session: Session) -> list[Yardstick]:
    """The bounds of the controllers that are shown, each once."""
    labels = {show.policy.label for show in session.shows}
    found = [each for each in yardsticks(session.desk.scenario) if each.policy in labels]
    # The slopes speak of the arms alone and are the same under every controller.
    once = {
        (each.name, each.measure, each.kind != "asymptotic slope" and each.policy): each
        for each in found
    }
    horizon = session.desk.scenario.horizon
    return [each for each in once.values() if math.isfinite(each.value(horizon))]


def _bound(each: Yardstick, session: Session) -> dict[str, Any]:
    horizon = session.desk.scenario.horizon
    places = np.unique(np.geomspace(min(2, horizon), horizon, _BOUND_POINTS).round())
    return {
        "type": "line",
        "name": f"{each.name}, {each.measure}: {KINDS[each.kind]}",
        "symbol": "none",
        "color": GREY,
        "lineStyle": {"width": 1.5, "type": _DASHES[each.kind]},
        "data": [[int(n), round(each.value(float(n)), 2)] for n in places],
    }


def _spell(each: Yardstick, horizon: int) -> None:
    whose = "" if each.kind == "asymptotic slope" else f" of {each.policy}"
    value = each.value(float(horizon))
    ui.label(
        f"{each.name}, {each.measure}{whose}: {KINDS[each.kind]}, {value:,.1f} at T = {horizon:,}"
    ).props["data-value"] = value


class PullsCard:
    """How often each arm was taken."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with card("Pulls per arm"):
            self.chart = chart(
                {"name": "arm", "type": "category", "data": []}, {"name": "", "minInterval": 1}, []
            )
            self.chart.style("height: 180px").props('role=img aria-label="Pulls per arm"')
        self.hear("opened")
        session.listeners.append(self.hear)

    def hear(self, news: News) -> None:
        """Go along with the market."""
        if news == "opened":
            arms = len(self.session.desk.scenario.market.arms)
            self.chart.options["xAxis"]["data"] = [str(arm) for arm in range(arms)]
            self.chart.options["series"] = [
                {"type": "bar", "name": show.policy.label, "color": SIDES[side], "data": []}
                for side, show in enumerate(self.session.shows)
            ]
        if news in ("opened", "moved"):
            for each, show in zip(self.chart.options["series"], self.session.shows, strict=True):
                arms = len(show.scenario.market.arms)
                each["data"] = [show.taken(arm) for arm in range(arms)]
            self.chart.update()
