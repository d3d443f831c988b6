"""The market tab: customers and arms on the left, costs on the right, controls above."""

from __future__ import annotations

from nicegui import ui

from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.lab.model import arm_settings, controller_choice
from kcmab_abm.lab.model.session import News, Session
from kcmab_abm.lab.tabs.market_arm_history import HistoryCard
from kcmab_abm.lab.tabs.market_costs import CostCard, PullsCard
from kcmab_abm.lab.tabs.market_playback import PlaybackControls
from kcmab_abm.lab.tabs.market_question import QuestionCard
from kcmab_abm.lab.tabs.market_settings import SettingsCard
from kcmab_abm.lab.widgets.entry_form import EntryForm, attempt
from kcmab_abm.lab.widgets.market_view import MarketView
from kcmab_abm.lab.widgets.theme import card, complain


def build_market(session: Session) -> None:
    """Build the market tab."""
    with ui.element("div").classes("lab-stack"):
        PlaybackControls(session)
        QuestionCard(session)
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
    """One market, or two side by side with the same rewards in store."""

    def __init__(self, session: Session, columns: ui.element) -> None:
        self.session = session
        self.columns = columns
        self.title = ui.label().classes("font-semibold").props("data-testid=title")
        with ui.row().classes("items-center gap-x-6 gap-y-0"):
            self.compare = ui.switch("Compare with another controller", on_change=self._compare)
            self.guessing = ui.switch("Guess the means", on_change=self._guess)
            self.guessing.tooltip("enter a guess for each arm, then show the true means")
        with ui.element("div").classes("lab-markets"):
            self.sides = [
                _Side(session, side) for side in (controller_choice.LEFT, controller_choice.RIGHT)
            ]
        session.follow(self.hear)

    def hear(self, news: News) -> None:
        """Follow the market."""
        if news == "opened":
            setup = self.session.setup
            self.title.text = setup.scenario.title
            self.title.visible = bool(setup.scenario.title)
            self.compare.value = two = setup.right is not None
            self.columns.classes(add="two" if two else "", remove="" if two else "two")
            for side in self.sides:
                side.open()
        if news != "paced":
            self._show()

    def _show(self) -> None:
        for side, market in zip(self.sides, self.session.markets, strict=False):
            side.view.show(market, self.session.setup.revealed, bool(self.guessing.value))

    def _guess(self) -> None:
        """Let her guess, with the arms in an order that does not give the answer away."""
        setup = self.session.setup
        market = dict(setup.settings["market"])
        if self.guessing.value and not setup.revealed and arm_settings.gives_away(market):
            moved = arm_settings.shuffled(market, setup.scenario.seed)
            if moved is None:
                complain("The arms of this scenario are listed from the best to the worst.")
            else:
                self.session.change(market=moved)
                ui.notify("The arms have been shuffled; the market begins anew.")
        self._show()

    def _compare(self) -> None:
        two = bool(self.compare.value)
        if two != (self.session.setup.right is not None):
            attempt(
                lambda: self.session.open(
                    controller_choice.set_comparison(self.session.setup, two)
                ),
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
        """Show the controller of a newly opened setup."""
        setup = self.session.setup
        place = controller_choice.place_of(setup, self.side)
        self.card.visible = place is not None
        if place is not None:
            chosen = setup.scenario.policies[place]
            table = setup.settings["policy"][place]
            names = controller_choice.names_for(setup, self.side)
            self.form.show(chosen.label, chosen.entry.name, names, table)

    def _choose(self, name: str) -> None:
        self.session.open(controller_choice.choose(self.session.setup, self.side, name))

    def _change(self, word: str, value: object) -> None:
        self.session.open(
            controller_choice.set_parameter(self.session.setup, self.side, word, value)
        )
