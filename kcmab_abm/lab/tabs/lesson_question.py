"""The question of a step: the field for the answer, its check, the explanation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import run, ui
from nicegui.elements.mixins.value_element import ValueElement

from kcmab_abm.lab.model.lesson_progress import LessonProgress
from kcmab_abm.lab.model.lessons.lesson import Verdict
from kcmab_abm.lab.model.reading import address_of, title_of
from kcmab_abm.lab.widgets.theme import heading

# Enter selects a focused radio button, so the check has to wait for the selection.
_ENTER = "event => { if (event.key === 'Enter') setTimeout(emit, 0) }"


class LessonQuestion:
    """The question of the open step; `done` is called once the step is done."""

    def __init__(self, progress: LessonProgress, done: Callable[[], None]) -> None:
        self.progress, self.step, self.done = progress, progress.step, done
        self.prompt = ui.label(self.step.say(self.step.question.prompt)).classes("font-medium")
        self.control = self._control()
        with ui.row().classes("items-center gap-2"):
            self.button = ui.button("Check", on_click=self.check)
            self.show_me = ui.button("Show the answer", on_click=self.reveal).props("flat")
            self.waiting = ui.spinner().props('aria-label="Running many markets"')
        self.words = ui.label().props("role=status aria-live=polite data-testid=lesson-feedback")
        self.after = ui.element("div").classes("lab-stack")
        self.waiting.visible = False
        self.show_me.visible = self.progress.may_see
        if progress.is_done(self.step):
            ui.timer(0.0, self.explain, once=True)

    def _control(self) -> ValueElement[Any]:
        options = self.step.options()
        if options:
            radio = ui.radio(options, value=None).on("keyup.capture", self.check, js_handler=_ENTER)
            return radio.props(f"aria-labelledby={self.prompt.html_id}")
        number = ui.input("Your answer (a number)").on("keydown.enter", self.check)
        return number.props("inputmode=decimal autocomplete=off outlined dense")

    async def check(self) -> None:
        """Say whether the answer is right, which may take a moment to compute."""
        if self.waiting.visible:
            return  # Enter was pressed again during the check
        given = None if self.control.value is None else str(self.control.value)
        self._wait(True)
        verdict = await run.io_bound(self.progress.answer, given)
        if verdict is None or self.words.is_deleted:
            return
        self._wait(False)
        self._say(verdict)
        self.show_me.visible = self.progress.may_see and not verdict.right
        if verdict.right:
            await self.explain()

    async def reveal(self) -> None:
        """Show the answer after some tries."""
        self.progress.give_up()
        self.show_me.visible = False
        self._mark("shown")
        await self.explain()
        if not self.words.is_deleted:
            self.words.text = f"The answer is {self.step.right_answer()}."

    async def explain(self) -> None:
        """Explain the answer and, at the end of the lesson, show its takeaway."""
        self._wait(True)
        words = await run.io_bound(self.step.explain)
        if words is None or self.words.is_deleted:
            return
        self._wait(False)
        self.done()
        self.after.clear()
        with self.after:
            ui.label(words).props("data-testid=lesson-explanation")
            if self.progress.is_last:
                self._show_takeaway()

    def _show_takeaway(self) -> None:
        lesson = self.progress.lesson
        with ui.element("div").classes("lesson-keep lab-stack"):
            heading("Takeaway", 3)
            ui.label(lesson.takeaway).props("data-testid=lesson-takeaway")
            ui.label("Further reading, in a tab of its own:").classes("lab-small")
            with ui.element("ul").classes("lesson-reading"):
                for path in lesson.reading:
                    with ui.element("li"):
                        ui.link(title_of(path), address_of(path), new_tab=True)

    def _say(self, verdict: Verdict) -> None:
        sign = "✓" if verdict.right else "✗" if verdict.counts else "!"
        self.words.text = f"{sign} {verdict.words}"
        self._mark("right" if verdict.right else "wrong")

    def _mark(self, word: str) -> None:
        self.words.classes(replace=f"lesson-feedback lesson-{word}")

    def _wait(self, waiting: bool) -> None:
        self.waiting.visible = waiting
        self.button.enabled = not waiting
