"""Six lessons, each a few steps with a question that the page checks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from nicegui import background_tasks, run, ui

from kcmab_abm.lab.course import Course
from kcmab_abm.lab.kept import keep, kept
from kcmab_abm.lab.lesson_market import LessonMarket, open_market
from kcmab_abm.lab.lesson_question import build_question
from kcmab_abm.lab.lessons.lesson import Lesson, Step
from kcmab_abm.lab.session import Session
from kcmab_abm.lab.theme import card, heading

_CSS = Path(__file__).with_name("lessons.css")


def build_lessons(
    session: Session, lesson: int = 0, step: int = 0, to_market: Callable[[], object] | None = None
) -> None:
    """Put the lessons on the page; `lesson` and `step`, from 1, open one of them.

    `to_market` brings the Market tab to the front.
    """
    ui.add_css(_CSS)
    tab = _Lessons(session, to_market or (lambda: None))
    if lesson > 0:
        ui.timer(0.0, lambda: tab.open(lesson, step - 1), once=True)
    else:
        tab.list_all()


class _Lessons:
    """The tab: all lessons, or one step of one of them."""

    def __init__(self, session: Session, to_market: Callable[[], object]) -> None:
        self.session, self.to_market = session, to_market
        self.course = Course()
        for lesson in self.course.lessons:
            self.course.recall(lesson, kept(f"lesson_{lesson.number}"))
        self.place = ui.element("div").classes("lab-stack lessons")

    def list_all(self) -> None:
        """Show what lessons there are, and how far she is."""
        self.place.clear()
        with self.place:
            with ui.element("div").classes("lesson-list"):
                for lesson in self.course.lessons:
                    self._list(lesson)
            if any(map(self.course.count_done, self.course.lessons)):
                ui.button("Forget what is done", icon="restart_alt", on_click=self._forget).props(
                    "flat dense no-caps"
                ).classes("self-start")

    def _forget(self) -> None:
        self.course.forget()
        for lesson in self.course.lessons:
            keep(f"lesson_{lesson.number}", "")
        self.list_all()

    def _list(self, lesson: Lesson) -> None:
        done, steps = self.course.count_done(lesson), len(lesson.steps)
        word = "Start" if done == 0 else "Repeat" if done == steps else "Go on with"
        with card(f"{lesson.number}. {lesson.title}"):
            ui.label(lesson.opening)
            with ui.row().classes("items-center gap-3 mt-auto"):
                ui.button(
                    f"{word} lesson {lesson.number}",
                    on_click=lambda: self.open(lesson.number, self.course.next_in(lesson)),
                ).props("no-caps")
                mark = "✓ " if done == steps else ""
                ui.label(f"{mark}{done} of {steps} steps done").classes("lab-quiet")

    async def open(self, number: int, place: int = 0) -> None:
        """Open a step of a lesson."""
        self.course.go(number, place)
        lesson, step = self.course.lesson, self.course.step
        address = f"?tab=lessons&lesson={lesson.number}&step={self.course.place + 1}"
        self.place.clear()
        with self.place:
            ui.spinner(size="lg").props('aria-label="The market is being set up"')
            ui.navigate.history.replace(address)
        market = await run.io_bound(_prepare, step)
        if market is None or self.place.is_deleted or self.course.step is not step:
            return  # the server stops, or she has gone, or gone on
        background_tasks.create(run.io_bound(lesson.prepare), name=f"lesson {lesson.number}")
        self.place.clear()
        with self.place:
            self._draw(lesson, step, market)

    def _draw(self, lesson: Lesson, step: Step, market: Session) -> None:
        head = ui.row().classes("items-center gap-2 w-full")

        def mark() -> None:
            self._fill_head(head, lesson)
            self._fill_foot(foot, lesson)

        def done() -> None:
            keep(f"lesson_{lesson.number}", self.course.marks(lesson))
            mark()

        with ui.element("div").classes("lesson-step"):
            with ui.element("div").classes("lesson-text"), card(step.title) as text:
                if self.course.place == 0:
                    ui.label(lesson.opening).classes("lab-quiet")
                ui.label(step.say(step.text)).props("data-testid=lesson-text")
            with ui.element("div").classes("lesson-market"):
                LessonMarket(step, market, lambda: self._take_along(market))
            with ui.element("div").classes("lesson-question"), card("Question"):
                build_question(self.course, done)
                foot = ui.row().classes("gap-2")
        mark()
        # The button that was pressed is gone; who goes by keyboard or by ear goes on here.
        text.props("tabindex=-1")
        ui.run_javascript(f"getHtmlElement({text.id})?.focus({{preventScroll: true}})")

    def _fill_head(self, head: ui.row, lesson: Lesson) -> None:
        """The lesson's name and a button for every step, drawn again when one is done."""
        head.clear()
        with head:
            ui.button("All lessons", icon="arrow_back", on_click=self.list_all).props(
                "flat dense no-caps"
            )
            heading(f"Lesson {lesson.number}: {lesson.title}").classes("lesson-title")
            ui.space()
            for place, step in enumerate(lesson.steps):
                self._step_button(lesson, place, step)

    def _step_button(self, lesson: Lesson, place: int, step: Step) -> None:
        done, here = self.course.is_done(step), place == self.course.place
        name = f"Step {place + 1} of {len(lesson.steps)}{', done' if done else ''}"
        button = ui.button(
            f"{place + 1}{' ✓' if done else ''}",
            on_click=lambda: self.open(lesson.number, place),
        )
        button.props(f'dense no-caps aria-label="{name}"').classes("min-w-10")
        button.props("aria-current=step" if here else "outline")

    def _fill_foot(self, foot: ui.row, lesson: Lesson) -> None:
        """The ways to other steps; the one on stands out when this step is done."""
        number, place = lesson.number, self.course.place
        ways = {"Back": (number, place - 1), "Next step": (number, place + 1)}
        if place == 0:
            del ways["Back"]
        if self.course.is_last:
            del ways["Next step"]
            if number < len(self.course.lessons):
                ways["Next lesson"] = (number + 1, 0)
        foot.clear()
        with foot:
            for label, there in ways.items():
                button = ui.button(label, on_click=partial(self.open, *there))
                stands_out = label != "Back" and self.course.is_done(self.course.step)
                button.props("no-caps" if stands_out else "no-caps outline")

    def _take_along(self, market: Session) -> None:
        self.session.open(market.state())
        self.to_market()


def _prepare(step: Step) -> Session:
    """What the step needs to be shown, away from the page that goes on meanwhile."""
    assert step.facts
    return open_market(step)
