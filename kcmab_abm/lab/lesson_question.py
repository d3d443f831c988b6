"""A step's question: a control for the answer, a check, and what the page says to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import run, ui
from nicegui.elements.mixins.value_element import ValueElement

from kcmab_abm.lab.course import Course
from kcmab_abm.lab.lessons.lesson import Verdict
from kcmab_abm.lab.theme import heading

# A radio button keeps Enter for itself, and is chosen by it: so first the choice, then the check.
_ENTER = "event => { if (event.key === 'Enter') setTimeout(emit, 0) }"


def build_question(course: Course, told: Callable[[], None]) -> None:
    """Put the open step's question on the page; `told` hears that the step is done."""
    _Question(course, told)


class _Question:
    def __init__(self, course: Course, told: Callable[[], None]) -> None:
        self.course, self.step, self.told = course, course.step, told
        self.prompt = ui.label(self.step.say(self.step.question.prompt)).classes("font-medium")
        self.control = self._control()
        with ui.row().classes("items-center gap-2"):
            self.button = ui.button("Check", on_click=self.check).props("no-caps")
            self.show_me = ui.button("Show me", on_click=self.reveal).props("flat no-caps")
            self.waiting = ui.spinner().props('aria-label="Many markets are being run"')
        self.words = ui.label().props("role=status aria-live=polite data-testid=lesson-feedback")
        self.after = ui.element("div").classes("lab-stack")
        self.waiting.visible = False
        self.show_me.visible = self.course.may_see
        if course.is_done(self.step):
            ui.timer(0.0, self.explain, once=True)

    def _control(self) -> ValueElement[Any]:
        options = self.step.options()
        if options:
            radio = ui.radio(options, value=None).on("keyup.capture", self.check, js_handler=_ENTER)
            return radio.props(f"aria-labelledby={self.prompt.html_id}")
        number = ui.input("Your answer, a number").on("keydown.enter", self.check)
        return number.props("inputmode=decimal autocomplete=off outlined dense")

    async def check(self) -> None:
        """Say whether the answer is right; what it needs may take a moment."""
        if self.waiting.visible:
            return  # Enter again, while the first one is being looked at
        given = None if self.control.value is None else str(self.control.value)
        self._wait(True)
        verdict = await run.io_bound(self.course.answer, given)
        if verdict is None or self.words.is_deleted:
            return
        self._wait(False)
        self._say(verdict)
        self.show_me.visible = self.course.may_see and not verdict.right
        if verdict.right:
            await self.explain()

    async def reveal(self) -> None:
        """Show the answer to somebody who has tried."""
        self.course.give_up()
        self.show_me.visible = False
        self._mark("shown")
        await self.explain()
        if not self.words.is_deleted:
            self.words.text = f"The answer is: {self.step.right_answer()}."

    async def explain(self) -> None:
        """Say what there is to learn, and at the end of the lesson what to keep."""
        self._wait(True)
        words = await run.io_bound(self.step.explain)
        if words is None or self.words.is_deleted:
            return
        self._wait(False)
        self.told()
        self.after.clear()
        with self.after:
            ui.label(words).props("data-testid=lesson-explanation")
            if self.course.is_last:
                self._take_home()

    def _take_home(self) -> None:
        lesson = self.course.lesson
        with ui.element("div").classes("lesson-keep lab-stack"):
            heading("To take away", 3)
            ui.label(lesson.takeaway).props("data-testid=lesson-takeaway")
            ui.label("Where it goes on: " + ", ".join(lesson.reading)).classes("lab-small")

    def _say(self, verdict: Verdict) -> None:
        sign = "✓" if verdict.right else "✗" if verdict.counts else "!"
        self.words.text = f"{sign} {verdict.words}"
        self._mark("right" if verdict.right else "wrong")

    def _mark(self, word: str) -> None:
        self.words.classes(replace=f"lesson-feedback lesson-{word}")

    def _wait(self, waiting: bool) -> None:
        self.waiting.visible = waiting
        self.button.enabled = not waiting
