"""The small market of a lesson's step, which the visitor may walk through."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from kcmab_abm.lab.accounts import TotalsView
from kcmab_abm.lab.lessons.lesson import Step
from kcmab_abm.lab.market_view import MarketView
from kcmab_abm.lab.session import News, Session
from kcmab_abm.lab.theme import card, heading


def open_market(step: Step) -> Session:
    """A market of the step's own, played to where the step begins."""
    session = Session(step.desk)
    _play_out(session)
    return session


def _play_out(session: Session) -> None:
    """Let the clock do what it has to do; lessons' markets are small."""
    while session.busy:
        session.tick(budget=1.0)


class LessonMarket:
    """One market or two, with the buttons that the step asks for and, if it does, the accounts.

    `take_along` opens what is shown in the Market tab.
    """

    def __init__(self, step: Step, session: Session, take_along: Callable[[], None]) -> None:
        self.session = session
        self.totals: TotalsView | None = None
        with card("The market"):
            with ui.element("div").classes("lesson-markets"):
                self.views = [self._view(side) for side in range(len(session.shows))]
            if step.totals:
                self.totals = TotalsView()
            with ui.row().classes("gap-2"):
                if step.buttons:
                    self._buttons()
                ui.button(
                    "Open this market in the Market tab", icon="open_in_new", on_click=take_along
                ).props("flat no-caps dense")
            self.spoken = ui.label().classes("lab-hidden").props("aria-live=polite")
        self._show()
        session.listeners.append(self.hear)

    def hear(self, news: News) -> None:
        """Draw what has changed, and say it to those who do not see it."""
        if news == "moved":
            self._show()
            self.spoken.text = " ".join(show.did() for show in self.session.shows)

    def _view(self, side: int) -> MarketView:
        shows = self.session.shows
        with ui.element("div"):
            if len(shows) > 1:
                heading(f"{('Left', 'Right')[side]}: {shows[side].policy.label}", 3)
            return MarketView(side)

    def _show(self) -> None:
        for view, show in zip(self.views, self.session.shows, strict=True):
            view.show(show, self.session.desk.revealed, guessing=False)
        if self.totals is not None:
            self.totals.show(self.session)

    def _buttons(self) -> None:
        for label, icon, act in (
            ("One customer", "person", self.session.one_customer),
            ("Next payment", "payments", self._next_payment),
            ("Undo", "undo", self.session.undo),
        ):
            ui.button(label, icon=icon, on_click=act).props("outline no-caps")

    def _next_payment(self) -> None:
        self.session.next_payment()
        _play_out(self.session)
