"""The small market in a step of a lesson."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from kcmab_abm.lab.model.lessons.lesson import Step
from kcmab_abm.lab.model.session import News, Session
from kcmab_abm.lab.widgets.market_view import MarketView
from kcmab_abm.lab.widgets.theme import card, heading
from kcmab_abm.lab.widgets.totals_table import TotalsTable


def open_market(step: Step) -> Session:
    """The step's own market, played to where the step begins."""
    session = Session(step.setup)
    _play_out(session)
    return session


def _play_out(session: Session) -> None:
    """Play at once what the clock would play; the markets of lessons are small."""
    while session.busy:
        session.tick(budget=1.0)


class LessonMarket:
    """One market or two, with buttons and totals if the step has them.

    `take_along` opens the market in the Market tab.
    """

    def __init__(self, step: Step, session: Session, take_along: Callable[[], None]) -> None:
        self.session = session
        self.last = step.last_customer
        self.pay: ui.button | None = None
        self.totals: TotalsTable | None = None
        with card("The market"):
            with ui.element("div").classes("lesson-markets"):
                self.views = [self._view(side) for side in range(len(session.markets))]
            if step.totals:
                self.totals = TotalsTable()
            with ui.row().classes("gap-2"):
                if step.buttons:
                    self._buttons()
                ui.button(
                    "Open this market in the Market tab", icon="open_in_new", on_click=take_along
                ).props("flat dense")
            self.spoken = ui.label().classes("lab-hidden").props("aria-live=polite")
        self._show()
        session.listeners.append(self.hear)

    def hear(self, news: News) -> None:
        """Draw what has changed, and announce it to screen readers."""
        if news == "moved":
            self._show()
            self.spoken.text = " ".join(market.did() for market in self.session.markets)

    def _view(self, side: int) -> MarketView:
        markets = self.session.markets
        with ui.element("div"):
            if len(markets) > 1:
                heading(f"{('Left', 'Right')[side]}: {markets[side].policy.label}", 3)
            return MarketView(side)

    def _show(self) -> None:
        for view, market in zip(self.views, self.session.markets, strict=True):
            view.show(market, self.session.setup.revealed, guessing=False)
        if self.totals is not None:
            self.totals.show(self.session)
        if self.pay is not None and self.last is not None:
            self.pay.set_enabled(self.session.shown < self.last)

    def _buttons(self) -> None:
        one = ui.button("One customer", icon="person", on_click=self.session.one_customer)
        if self.last is not None:
            self.pay = ui.button("Next payment", icon="payments", on_click=self._next_payment)
            self.pay.props("outline")
        undo = ui.button("Undo", icon="undo", on_click=self.session.undo)
        for button in (one, undo):
            button.props("outline")

    def _next_payment(self) -> None:
        """Play to the next payment, but not beyond what the question is about."""
        self.session.next_payment(self.last)
        _play_out(self.session)
