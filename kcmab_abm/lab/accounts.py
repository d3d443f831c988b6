"""The accounts: what it has cost so far, with the paper's bounds, and pulls per arm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from nicegui import ui

from kcmab_abm.lab.live import LivePart
from kcmab_abm.lab.plot import Plot, series
from kcmab_abm.lab.session import News, Session
from kcmab_abm.lab.theme import card
from kcmab_abm.yardsticks import Yardstick, yardsticks

_POINTS = 200  # of a curve: more than a chart is pixels wide would be lost
_BOUND_POINTS = 40
_DASHES = {"upper bound": "2 3", "asymptotic slope": "12 4 2 4", "leading terms": "2 8"}
KINDS = {
    "upper bound": "upper bound",
    "asymptotic slope": "asymptotic slope, not a floor",
    "leading terms": "leading terms only",
}


class TotalsView(LivePart, component="totals_view.js"):
    """Totals, one column a market."""

    def show(self, session: Session) -> None:
        """Show what it has cost so far."""
        self.tell([{"label": show.policy.label, **show.totals._asdict()} for show in session.shows])


class CostCard:
    """Regret and compensation as numbers and curves."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.drawn: list[dict[str, Any]] = []  # the bounds
        with card("Accounts"):
            self.totals = TotalsView()
            self.plot = Plot(high=250)
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
        horizon = self.session.desk.scenario.horizon
        self.drawn = [_bound(each, horizon) for each in found]
        self.words.clear()
        with self.words:
            for each in found:
                _spell(each, horizon)
            if self.bounds.value and not found:
                ui.label("The paper has no bound for this market.")
        self._move()

    def _move(self) -> None:
        self.totals.show(self.session)
        self.plot.draw(
            "Regret and compensation, customer by customer",
            "customers",
            "",
            _curves(self.session) + self.drawn,
        )


def _curves(session: Session) -> list[dict[str, Any]]:
    """A colour a market, solid for regret, dashed for payments."""
    lines = []
    for side, show in enumerate(session.shows):
        curve, label, ink = show.curve(_POINTS), show.policy.label, f"side-{side}"
        regret = [(n, round(value, 3)) for n, value, _ in curve]
        paid = [(n, round(value, 3)) for n, _, value in curve]
        lines += [
            series(f"regret, {label}", ink, regret),
            series(f"compensation, {label}", ink, paid, dashes="7 5"),
        ]
    return lines


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


def _bound(each: Yardstick, horizon: int) -> dict[str, Any]:
    places = np.unique(np.geomspace(min(2, horizon), horizon, _BOUND_POINTS).round())
    points = [(int(n), round(each.value(float(n)), 2)) for n in places]
    name = f"{each.name}, {each.measure}: {KINDS[each.kind]}"
    return series(name, "quiet", points, dashes=_DASHES[each.kind], width=1.5)


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
            self.plot = Plot(high=150)
        self.hear("opened")
        session.listeners.append(self.hear)

    def hear(self, news: News) -> None:
        """Go along with the market."""
        if news in ("opened", "moved"):
            arms = range(len(self.session.desk.scenario.market.arms))
            bars = [
                series(
                    show.policy.label,
                    f"side-{side}",
                    [(arm, show.taken(arm)) for arm in arms],
                    "bar",
                    place=side,
                    of=len(self.session.shows),
                )
                for side, show in enumerate(self.session.shows)
            ]
            labels = [str(arm) for arm in arms]
            self.plot.draw("Pulls per arm", "arm", "", bars, labels=labels, whole=True)
