"""The lessons tab: a list of lessons, or one step of one of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import background_tasks, run, ui

from kcmab_abm.lab.model.lesson_progress import LessonProgress
from kcmab_abm.lab.model.lessons.lesson import Lesson, Step
from kcmab_abm.lab.model.session import Session
from kcmab_abm.lab.tabs.lesson_market import LessonMarket, open_market
from kcmab_abm.lab.tabs.lesson_question import LessonQuestion
from kcmab_abm.lab.widgets.address import page_address
from kcmab_abm.lab.widgets.cookies import read_cookie, write_cookie
from kcmab_abm.lab.widgets.theme import card, heading


def build_lessons(
    session: Session, lesson: int = 0, step: int = 0, to_market: Callable[[], object] | None = None
) -> None:
    """Build the lessons tab; `lesson` and `step`, counted from 1, open a step.

    `to_market` switches to the Market tab.
    """
    tab = _Lessons(session, to_market or (lambda: None))
    if lesson > 0:
        ui.timer(0.0, lambda: tab.open(lesson, step - 1), once=True)
    else:
        tab.list_all()


class _Lessons:
    """The list of lessons, or one step of one of them."""

    def __init__(self, session: Session, to_market: Callable[[], object]) -> None:
        self.session, self.to_market = session, to_market
        self.progress = LessonProgress()
        for lesson in self.progress.lessons:
            self.progress.recall(lesson, read_cookie(f"lesson_{lesson.number}"))
        self.place = ui.element("div").classes("lab-stack lessons")

    def list_all(self) -> None:
        """Show all lessons and the progress in each."""
        page_address().put(lesson="", step="")
        self.place.clear()
        with self.place:
            with ui.element("div").classes("lesson-list"):
                for lesson in self.progress.lessons:
                    self._list(lesson)
            if any(map(self.progress.count_done, self.progress.lessons)):
                ui.button("Clear my progress", icon="restart_alt", on_click=self._forget).props(
                    "flat dense"
                ).classes("self-start")

    async def _forget(self) -> None:
        self.progress.forget()
        # Redraws overtake scripts: a quick reload must not bring the old marks back.
        for lesson in self.progress.lessons:
            await write_cookie(f"lesson_{lesson.number}", "")
        if not self.place.is_deleted:
            self.list_all()

    def _list(self, lesson: Lesson) -> None:
        done, steps = self.progress.count_done(lesson), len(lesson.steps)
        word = "Start" if done == 0 else "Repeat" if done == steps else "Continue"
        with card(f"{lesson.number}. {lesson.title}"):
            ui.label(lesson.opening)
            with ui.row().classes("items-center gap-3 mt-auto"):
                ui.button(
                    f"{word} lesson {lesson.number}",
                    on_click=lambda: self.open(lesson.number, self.progress.next_in(lesson)),
                )
                mark = "✓ " if done == steps else ""
                ui.label(f"{mark}{done} of {steps} steps done").classes("lab-quiet")

    async def open(self, number: int, place: int = 0) -> None:
        """Open a step of a lesson."""
        self.progress.go(number, place)
        lesson, step = self.progress.lesson, self.progress.step
        self.place.clear()
        with self.place:
            ui.spinner(size="lg").props('aria-label="Setting up the market"')
            page_address().put(
                tab="lessons", lesson=str(lesson.number), step=str(self.progress.place + 1)
            )
        market = await run.io_bound(_prepare, step)
        if market is None or self.place.is_deleted or self.progress.step is not step:
            return  # the server is shutting down, or she has left or moved on
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
            write_cookie(f"lesson_{lesson.number}", self.progress.marks(lesson))
            mark()

        with ui.element("div").classes("lesson-step"):
            with ui.element("div").classes("lesson-text"), card(step.title) as text:
                if self.progress.place == 0:
                    ui.label(lesson.opening).classes("lab-quiet")
                ui.label(step.say(step.text)).props("data-testid=lesson-text")
            with ui.element("div").classes("lesson-market"):
                LessonMarket(step, market, lambda: self._take_along(market))
            with ui.element("div").classes("lesson-question"), card("Question"):
                LessonQuestion(self.progress, done)
                foot = ui.row().classes("gap-2")
        mark()
        # The button that was pressed is gone: keyboard and screen reader continue here.
        text.props("tabindex=-1")
        ui.run_javascript(f"getHtmlElement({text.id})?.focus({{preventScroll: true}})")

    def _fill_head(self, head: ui.row, lesson: Lesson) -> None:
        """The lesson's title and a button for each step, redrawn when a step is done."""
        head.clear()
        with head:
            ui.button("All lessons", icon="arrow_back", on_click=self.list_all).props("flat dense")
            heading(f"Lesson {lesson.number}: {lesson.title}").classes("lesson-title")
            ui.space()
            for place, step in enumerate(lesson.steps):
                self._step_button(lesson, place, step)

    def _step_button(self, lesson: Lesson, place: int, step: Step) -> None:
        done, here = self.progress.is_done(step), place == self.progress.place
        name = f"Step {place + 1} of {len(lesson.steps)}{', done' if done else ''}"
        button = ui.button(
            f"{place + 1}{' ✓' if done else ''}",
            on_click=lambda: self.open(lesson.number, place),
        )
        button.props(f'dense aria-label="{name}"').classes("min-w-10")
        button.props("aria-current=step" if here else "outline")

    def _fill_foot(self, foot: ui.row, lesson: Lesson) -> None:
        """Buttons to other steps; the one that leads on stands out once this step is done."""
        number, place = lesson.number, self.progress.place
        ways = {"Back": (number, place - 1), "Next step": (number, place + 1)}
        if place == 0:
            del ways["Back"]
        if self.progress.is_last:
            del ways["Next step"]
            if number < len(self.progress.lessons):
                ways["Next lesson"] = (number + 1, 0)
        foot.clear()
        with foot:
            for label, there in ways.items():
                button = ui.button(label, on_click=partial(self.open, *there))
                if label == "Back" or not self.progress.is_done(self.progress.step):
                    button.props("outline")

    def _take_along(self, market: Session) -> None:
        self.session.open(market.state())
        self.to_market()


def _prepare(step: Step) -> Session:
    """Compute what the step shows, in a thread so that the page stays responsive."""
    assert step.facts
    return open_market(step)
