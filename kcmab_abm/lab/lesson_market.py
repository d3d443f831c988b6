"""The small market of a lesson's step, which the visitor may walk through."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from kcmab_abm.lab.lessons.lesson import Step
from kcmab_abm.lab.session import News, Session
from kcmab_abm.lab.show import ArmView, Show
from kcmab_abm.lab.theme import card, heading

LAST = 12  # rewards of a tape that are shown


def open_market(step: Step) -> Session:
    """A market of the step's own, played to where the step begins."""
    session = Session(step.desk)
    _play_out(session)
    return session


def build_lesson_market(step: Step, session: Session, take_along: Callable[[], None]) -> None:
    """Put the step's market on the page; `take_along` opens it in the Market tab."""
    with card("The market"):
        _View(step, session)
        with ui.row().classes("gap-2"):
            if step.buttons:
                _buttons(session)
            ui.button(
                "Open this market in the Market tab", icon="open_in_new", on_click=take_along
            ).props("flat no-caps dense")


def _buttons(session: Session) -> None:
    def next_payment() -> None:
        session.next_payment()
        _play_out(session)

    for label, icon, act in (
        ("One customer", "person", session.one_customer),
        ("Next payment", "payments", next_payment),
        ("Undo", "undo", session.undo),
    ):
        ui.button(label, icon=icon, on_click=act).props("outline no-caps")


def _play_out(session: Session) -> None:
    """Let the clock do what it has to do; lessons' markets are small."""
    while session.busy:
        session.tick(budget=1.0)


class _View:
    """One or two markets, drawn anew after every step."""

    def __init__(self, step: Step, session: Session) -> None:
        self.step, self.session = step, session
        with ui.element("div").classes("lab-stack"):
            self.draw()
        self.spoken = ui.label().classes("lab-hidden").props("aria-live=polite")
        session.listeners.append(self.hear)

    def hear(self, news: News) -> None:
        """Draw what has changed, and say it to those who do not see it."""
        if news == "moved":
            self.draw.refresh()
            self.spoken.text = " ".join(show.did() for show in self.session.shows)

    @ui.refreshable_method
    def draw(self) -> None:
        """One market, or two side by side."""
        both = len(self.session.shows) > 1
        with ui.element("div").classes("lesson-both" if both else "lab-stack"):
            for side, show in enumerate(self.session.shows):
                with ui.element("div").classes("lab-stack"):
                    if both:
                        heading(f"{('Left', 'Right')[side]}: {show.policy.label}", 3)
                    self._market(side, show)

    def _market(self, side: int, show: Show) -> None:
        """A market's last customer, its arms and, if the step wants it, its accounts."""
        ui.label(show.did()).props(f"data-testid=lesson-did-{side}")
        self._arms(side, show)
        ui.label(show.sees()).props(f"data-testid=lesson-sees-{side}").classes("font-medium")
        if self.step.totals:
            self._totals(side, show)

    def _arms(self, side: int, show: Show) -> None:
        true_means = [float(mean) for mean in self.session.desk.scenario.market.means]
        with ui.element("table").classes("lesson-arms"):
            for number, arm in enumerate(show.arms(LAST)):
                cells = {"Arm": f"{number}", "Record": "", "Reports": f"{arm.pulls}"}
                if not show.is_over:
                    cells["Offer"] = f"{arm.offer:.2f}" if arm.offer else "none"
                if self.session.desk.revealed:
                    cells["True mean"] = f"{true_means[number]:.1f}"
                if len(self.session.shows) == 1:
                    cells["Last rewards"] = _tape(arm)
                if number == 0:
                    _row("th", list(cells))
                with _row("td", list(cells.values()))[1]:
                    _bar(arm, f"lesson-arm-{side}-{number}-mean")

    def _totals(self, side: int, show: Show) -> None:
        totals = show.totals
        with ui.row().classes("gap-x-6 gap-y-1"):
            for word, amount in (("Regret", totals.regret), ("Compensation", totals.compensation)):
                ui.label(f"{word} {amount:.2f}").props(
                    f"data-testid=lesson-{word.lower()}-{side} data-value={amount!r}"
                )
            ui.label(f"Paid {totals.paid}")
            if totals.refused:
                ui.label(f"Refused {totals.refused}")


def _row(kind: str, cells: list[str]) -> list[ui.element]:
    """One line of a table."""
    made = []
    with ui.element("tr"):
        for text in cells:
            with ui.element(kind) as cell:
                if text:
                    ui.label(text)
            made.append(cell)
    return made


def _bar(arm: ArmView, mark: str) -> None:
    """A record as a number and a bar, with what is offered on top of it."""
    ui.label(f"{arm.mean:.2f}" if arm.pulls else "none").props(
        f"data-testid={mark} data-value={arm.mean!r}"
    )
    with ui.element("div").classes("lesson-bar").props("aria-hidden=true"):
        ui.element("div").classes("lesson-record").style(f"width: {100 * arm.mean:.1f}%")
        ui.element("div").classes("lesson-offer").style(f"width: {100 * arm.offer:.1f}%")


def _tape(arm: ArmView) -> str:
    shown = " ".join(f"{reward:g}" for reward in arm.tape)
    return f"… {shown}" if arm.pulls > len(arm.tape) else shown
