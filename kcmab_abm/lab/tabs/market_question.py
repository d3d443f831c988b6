"""The question of the scenario on screen, and the slider of its sweep."""

from __future__ import annotations

from nicegui import events, ui

from kcmab_abm.lab.model.scenario_files import move_to
from kcmab_abm.lab.model.session import News, Session
from kcmab_abm.lab.widgets.entry_form import attempt
from kcmab_abm.lab.widgets.theme import heading


class QuestionCard:
    """Shown if the scenario comes from a file with a question or a sweep."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with ui.element("section").classes("lab-card lab-stack") as self.card:
            self.card.props["aria-label"] = "Question"
            self.question = heading("").props("data-testid=question")
            self.notes = ui.label().classes("lab-quiet lab-small").props("data-testid=notes")
            with ui.row().classes("w-full items-center gap-x-4 gap-y-0") as self.row:
                self.slider = ui.slider(min=1, max=2, step=1, value=1).classes("lab-sweep")
                self.slider.props("markers snap aria-label='point of the sweep'")
                # The slider's value lags so that dragging does not flood the server.
                self.slider.on("change", self._slide)
                self.point = ui.label().classes("lab-small").props("data-testid=point")
            self.row.tooltip("moving the slider opens the file anew at that point of its sweep")
        session.follow(self.hear)

    def hear(self, news: News) -> None:
        """Show the question of a newly opened setup."""
        if news != "opened":
            return
        setup = self.session.setup
        source = setup.source
        self.card.visible = source is not None
        if source is None:
            return
        self.question.text = source.question
        self.notes.text = " ".join(source.notes)
        self.notes.visible = bool(source.notes)
        self.row.visible = source.points > 0
        if source.points:
            self.slider.props(f"max={source.points}")
            self.slider.value = setup.point + 1
            told = ", ".join(f"{path} = {value}" for path, value in source.values(setup.point))
            self.point.text = f"{setup.point + 1} of {source.points}: {told}"

    def _slide(self, event: events.GenericEventArguments) -> None:
        point, setup = int(event.args) - 1, self.session.setup
        if point != setup.point:
            attempt(lambda: self.session.open(move_to(setup, point)), lambda: self.hear("opened"))
