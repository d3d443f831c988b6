"""The teacher's screen: a stage for the class, and the controls beside it."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from nicegui import run, ui

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.classroom.console import Console
from kcmab_abm.lab.classroom.stage import stage
from kcmab_abm.lab.model.classroom.classroom import Asked, Guests
from kcmab_abm.lab.model.classroom.guests import TEACHER
from kcmab_abm.lab.model.classroom.lesson_steps import lesson_steps, question_of
from kcmab_abm.lab.model.classroom.question import Question
from kcmab_abm.lab.widgets.theme import apply_theme, complain

_CSS = Path(__file__).with_name("teacher.css")
_LOOK = 0.25  # seconds between updates of the screen
_BY_HAND = "I make the offers"


class TeacherPage:
    """One screen of the teacher; she may open several."""

    def __init__(self, console: Console, address: str, qr: str) -> None:
        self.console = console
        self.address, self.qr = address, qr
        apply_theme()
        ui.add_css(_CSS)
        with ui.element("div").classes("class-top"):
            self.line = ui.label().props("data-testid=class-line")
            self.freeze = ui.button(on_click=lambda: self._try(console.freeze))
            self.reveal = ui.button(on_click=lambda: self._try(console.reveal))
            ui.button("End", icon="stop", on_click=lambda: self._try(console.end)).props(
                "outline color=white"
            )
        with ui.element("div").classes("class-columns"):
            self.stage = ui.html("", sanitize=False).classes("lab-card class-stage")
            self.stage.props("data-testid=stage")
            with ui.element("div").classes("lab-stack class-controls"):
                self._build_market()
                self._build_offer()
                self._build_questions()
                self._build_class()
        self._offered: tuple[int, ...] = ()
        self.update()
        ui.timer(_LOOK, self.update)

    def _build_market(self) -> None:
        with ui.expansion("Play", icon="storefront", value=True).classes("lab-card"):
            self.controller = ui.select([], label="Controller")
            self.controller.classes("w-full").props("outlined dense")
            self._show_controllers()
            self._action("You are the customers", lambda: self._begin(self._controller()))
            self._action("You are the controller", self.console.begin_race)
            self._action("Predict a thousand markets", self._predict)
            self.run = self._action("Run the thousand markets", self.console.run_markets)

    def _build_offer(self) -> None:
        with ui.element("section").classes("lab-card lab-stack") as self.offers:
            ui.label("Offer to the next guests")
            self.target = ui.select({-1: "nothing"}, value=-1, label="Restaurant")
            self.target.classes("w-full").props("outlined dense")
            self.amount = ui.number("Amount", value=0.2, min=0, max=1, step=0.05, format="%.2f")
            self.amount.classes("w-full").props("outlined dense")
            self._action("Offer this", self._offer)

    def _build_questions(self) -> None:
        with ui.expansion("Ask and tell", icon="how_to_vote").classes("lab-card"):
            steps = lesson_steps()
            self.step = ui.select([*steps], value=next(iter(steps)), label="Step of a lesson")
            self.step.classes("w-full").props("outlined dense")
            ui.button("Ask this step", on_click=lambda: self._ask_step()).classes("w-full")
            self.prompt = ui.input("Question or title").classes("w-full")
            self.options = ui.textarea("Answers, one per line; none for a text").classes("w-full")
            self._action("Put it on all screens", self._ask)

    def _build_class(self) -> None:
        with ui.expansion("Class", icon="groups").classes("lab-card"):
            names = [*self.console.scenarios]
            self.scenario = ui.select(names, value=names[0], label="Scenario")
            self.scenario.classes("w-full").props("outlined dense")
            self._action("Push this scenario", self._push)
            self._action("The same with new luck", self.console.deal)
            self.people = ui.html("", sanitize=False)

    def _action(self, label: str, do: Callable[[], None]) -> ui.button:
        return ui.button(label, on_click=lambda: self._try(do)).classes("w-full")

    def _try(self, do: Callable[[], None]) -> None:
        try:
            do()
        except MarketError as error:
            complain(str(error))
        self.update()

    def _controller(self) -> str:
        return str(self.controller.value)

    def _begin(self, label: str) -> None:
        self.console.begin_guests(label)

    def _predict(self) -> None:
        if self._controller() == TEACHER:
            raise MarketError("Nobody can make offers in a thousand markets; choose a policy.")
        self.console.predict(self._controller())

    def _offer(self) -> None:
        target = int(self.target.value or 0)
        amount = float(self.amount.value or 0.0)
        self.console.offer(None if target < 0 else target, amount)

    def _ask(self) -> None:
        lines = [line.strip() for line in str(self.options.value or "").splitlines()]
        options = [line for line in lines if line]
        prompt = str(self.prompt.value or "").strip()
        if options:
            self.console.ask(Question(prompt, options))
        elif prompt:
            self.console.tell(prompt, "")
        else:
            raise MarketError("Type a question or a text first.")

    async def _ask_step(self) -> None:
        step = lesson_steps()[str(self.step.value)]
        question = await run.io_bound(question_of, step)
        if question is not None:
            self._try(lambda: self.console.ask(question))

    def _push(self) -> None:
        self.console.push(str(self.scenario.value))
        self._show_controllers()

    def _show_controllers(self) -> None:
        labels = [each.label for each in self.console.classroom.scenario.policies]
        options = {label: _words(label) for label in labels} | {TEACHER: _BY_HAND}
        self.controller.set_options(options, value=labels[0])

    def update(self) -> None:
        """Show the class as it is now."""
        classroom, activity = self.console.classroom, self.console.classroom.activity
        here, joined = len(classroom.present), len(classroom.roster)
        self._say(
            self.line, f"{self.address}   code {classroom.plan.code}   {here} of {joined} here"
        )
        found = stage(self.console, self.address, self.qr)
        if self.stage.content != found:
            self.stage.set_content(found)
        people = _people(self.console)
        if self.people.content != people:
            self.people.set_content(people)
        self._say(self.freeze, "Go on" if classroom.frozen else "Freeze")
        self._say(self.reveal, "Hide" if classroom.revealed else "Reveal")
        by_hand = isinstance(activity, Guests) and activity.controller == TEACHER
        self.offers.set_visibility(by_hand and not classroom.ended)
        self.run.set_visibility(isinstance(activity, Asked) and bool(activity.label))
        if by_hand and isinstance(activity, Guests):
            self._show_targets(activity)

    def _show_targets(self, activity: Guests) -> None:
        menu = activity.rooms[0].menu
        order = (classroom_number := self.console.classroom.number, *menu.order)
        if order != self._offered and classroom_number:
            self._offered = order
            options = {-1: "nothing"} | {arm: menu.name(arm) for arm in menu.order}
            self.target.set_options(options, value=-1)

    @staticmethod
    def _say(part: ui.label | ui.button, text: str) -> None:
        if part.text != text:
            part.set_text(text)


def _words(label: str) -> str:
    return "greedy (nobody pays)" if label == "greedy" else label


def _people(console: Console) -> str:
    """Who is where, and what has been written."""
    classroom = console.classroom
    rows = "".join(
        f"<li class='{'here' if each.number in classroom.present else 'away'}'>"
        f"{escape(each.name)}{f', room {each.room + 1}' if classroom.plan.rooms > 1 else ''}</li>"
        for each in classroom.roster.students
    )
    written = "".join(f"<li>{escape(str(folder))}</li>" for folder in console.written)
    state = "<p>Results are being written …</p>" if console.is_writing else ""
    problem = f"<p class='class-problem'>{escape(console.problem)}</p>" if console.problem else ""
    done = f"<p>Results:</p><ul>{written}</ul>" if written else ""
    return f"{problem}{state}{done}<ul class='class-names small'>{rows}</ul>"
