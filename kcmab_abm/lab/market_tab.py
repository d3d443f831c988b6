"""The market: arms and customers on the left, accounts on the right, controls above."""

from __future__ import annotations

from nicegui import ui

from kcmab_abm.catalogue import POLICIES
from kcmab_abm.lab import controllers
from kcmab_abm.lab.accounts import CostCard, PullsCard
from kcmab_abm.lab.history_card import HistoryCard
from kcmab_abm.lab.market_view import MarketView
from kcmab_abm.lab.session import News, Session
from kcmab_abm.lab.settings_card import SettingsCard
from kcmab_abm.lab.settings_form import EntryForm, attempt
from kcmab_abm.lab.theme import card
from kcmab_abm.lab.transport import Transport


def build_market(session: Session) -> None:
    """Put the market on the page."""
    with ui.element("div").classes("lab-stack"):
        Transport(session)
        with ui.element("div").classes("lab-columns") as columns:
            with ui.element("div").classes("lab-stack market"):
                Markets(session, columns)
            with ui.element("div").classes("lab-stack accounts"):
                CostCard(session)
                PullsCard(session)
                HistoryCard(session)
            with ui.element("div").classes("lab-stack settings"):
                SettingsCard(session)


class Markets:
    """The market, or two of them side by side on the same tapes."""

    def __init__(self, session: Session, columns: ui.element) -> None:
        self.session = session
        self.columns = columns
        self.title = ui.label().classes("font-semibold").props("data-testid=title")
        with ui.row().classes("items-center gap-x-6 gap-y-0"):
            self.beside = ui.switch("Same world, another controller", on_change=self._set_beside)
            self.guessing = ui.switch("Guess the means", on_change=lambda: self._show())
        with ui.element("div").classes("lab-markets"):
            self.sides = [_Side(session, side) for side in (controllers.LEFT, controllers.RIGHT)]
        self.hear("opened")
        session.listeners.append(self.hear)

    def hear(self, news: News) -> None:
        """Go along with the market."""
        if news == "opened":
            desk = self.session.desk
            self.title.text = desk.scenario.title
            self.title.visible = bool(desk.scenario.title)
            self.beside.value = two = desk.right is not None
            self.columns.classes(add="two" if two else "", remove="" if two else "two")
            for side in self.sides:
                side.open()
        if news != "paced":
            self._show()

    def _show(self) -> None:
        for side, show in zip(self.sides, self.session.shows, strict=False):
            side.view.show(show, self.session.desk.revealed, bool(self.guessing.value))

    def _set_beside(self) -> None:
        beside = bool(self.beside.value)
        if beside != (self.session.desk.right is not None):
            attempt(
                lambda: self.session.open(controllers.set_beside(self.session.desk, beside)),
                lambda: self.hear("opened"),
            )


class _Side:
    """One market with its controller."""

    def __init__(self, session: Session, side: int) -> None:
        self.session = session
        self.side = side
        with card(("Market", "Second market")[side], 2) as self.card:
            self.form = EntryForm(
                ("controller", "another controller")[side], POLICIES, self._choose, self._change
            )
            self.view = MarketView(side)

    def open(self) -> None:
        """Show the controller of a desk that was opened."""
        desk = self.session.desk
        place = controllers.place_of(desk, self.side)
        self.card.visible = place is not None
        if place is not None:
            chosen = desk.scenario.policies[place]
            table = desk.settings["policy"][place]
            names = controllers.names_for(desk, self.side)
            self.form.show(chosen.label, chosen.entry.name, names, table)

    def _choose(self, name: str) -> None:
        self.session.open(controllers.choose(self.session.desk, self.side, name))

    def _change(self, word: str, value: object) -> None:
        self.session.open(controllers.set_parameter(self.session.desk, self.side, word, value))
