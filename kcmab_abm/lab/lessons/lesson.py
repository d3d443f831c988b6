"""What a lesson is made of: steps, each with a market, a question and an answer computed from it.

No answer is written down. Every step has a function that plays the step's own market, or asks the
theory about it, and returns facts by name; the fact called `answer` is the right one. All texts of
the step may quote facts in braces, so that what a lesson says of its market is always true of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any

from kcmab_abm.lab.desk import Desk

Facts = Mapping[str, Any]

ROUNDING = 1e-9  # by which a number may miss a tolerance that is written in decimals


@dataclass(frozen=True)
class Slip:
    """A typical wrong answer and what helps against it.

    `wrong` names the fact that holds the wrong number, or is the wrong option itself.
    """

    wrong: str
    hint: str


@dataclass(frozen=True)
class Question:
    """What a step asks; `hint` is for wrong answers that nobody foresaw."""

    prompt: str
    hint: str
    slips: tuple[Slip, ...] = ()


@dataclass(frozen=True)
class NumberQuestion(Question):
    """A question whose answer is a number, right within a tolerance."""

    tolerance: float = 0.005
    places: int = 2

    def accepts(self, number: float, right: float) -> bool:
        """Whether a number is near enough to the right one."""
        return abs(number - right) <= self.tolerance + ROUNDING

    def reading(self, given: str) -> float:
        """The number in what was typed; a comma and a percent sign will do.

        >>> NumberQuestion("How much?", "Look again.").reading(" 12,5 % ")
        0.125
        """
        text = given.strip().replace(",", ".")
        share = text.endswith("%")
        number = float(text.removesuffix("%"))
        if not math.isfinite(number):
            raise ValueError(f"not a finite number: {given}")
        return number / 100.0 if share else number


@dataclass(frozen=True)
class ChoiceQuestion(Question):
    """A question with a few options, by the word that the facts use for them."""

    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ArmQuestion(Question):
    """A question whose answer is one of the market's arms."""


@dataclass(frozen=True)
class Verdict:
    """What the page says to an answer; one that is no answer at all does not count as a try."""

    right: bool
    words: str
    counts: bool = True


@dataclass(frozen=True, eq=False)
class Step:
    """One step: a text, a market at some customer, a question, and what to learn from the answer.

    `find` is quick, for it is waited for; `survey` may run many markets, and is asked when an
    answer is checked or explained. `buttons` says whether the student walks through the market
    herself, `totals` whether she sees what it has cost so far.
    """

    title: str
    text: str
    desk: Desk
    question: Question
    explanation: str
    find: Callable[[Desk], Facts]
    survey: Callable[[Desk], Facts] | None = None
    buttons: bool = False
    totals: bool = False
    _found: dict[str, Facts] = field(default_factory=dict, repr=False)
    _finding: RLock = field(default_factory=RLock, repr=False)

    @property
    def facts(self) -> Facts:
        """What is true of the step's market; found out once, however many ask at a time."""
        return self._once("found", self.find)

    @property
    def findings(self) -> Facts:
        """The facts, and what many markets have shown."""
        return (
            self.facts if self.survey is None else {**self.facts, **self._once("seen", self.survey)}
        )

    def _once(self, word: str, find: Callable[[Desk], Facts]) -> Facts:
        with self._finding:
            if word not in self._found:
                self._found[word] = find(self.desk)
        return self._found[word]

    @property
    def answer(self) -> Any:
        """The right answer: a number, an arm, or the word of an option."""
        return (self.facts if "answer" in self.facts else self.findings)["answer"]

    def say(self, text: str) -> str:
        """A text of this step with the facts put in."""
        return text.format(**self.facts)

    def explain(self) -> str:
        """What to learn from the answer."""
        return self.explanation.format(**self.findings)

    def options(self) -> dict[str, str]:
        """What there is to choose from; nothing if a number is asked for."""
        if isinstance(self.question, ChoiceQuestion):
            return {word: self.say(text) for word, text in self.question.options.items()}
        if isinstance(self.question, ArmQuestion):
            return {str(arm): f"Arm {arm}" for arm in range(len(self.desk.scenario.market.arms))}
        return {}

    def check(self, given: str | None) -> Verdict:
        """Whether this is the right answer, and what to say to it."""
        if given is None or not given.strip():
            return Verdict(False, "There is no answer yet.", counts=False)
        if isinstance(self.question, NumberQuestion):
            return self._check_number(given, self.question)
        if given == str(self.answer):
            return self._right()
        return self._wrong([slip for slip in self.question.slips if slip.wrong == given])

    def right_answer(self) -> str:
        """The right answer in words."""
        if isinstance(self.question, NumberQuestion):
            return f"{self.answer:.{self.question.places}f}"
        return self.options()[str(self.answer)]

    def _check_number(self, given: str, question: NumberQuestion) -> Verdict:
        try:
            number = question.reading(given)
        except ValueError:
            words = f"{given.strip()!r} is not a number; write it as 3 or 0.25."
            return Verdict(False, words, counts=False)

        if question.accepts(number, self.answer):
            return self._right()
        slips = [s for s in question.slips if question.accepts(number, self.facts[s.wrong])]
        return self._wrong(slips)

    def _right(self) -> Verdict:
        return Verdict(True, "Right.")

    def _wrong(self, slips: list[Slip]) -> Verdict:
        hint = slips[0].hint if slips else self.question.hint
        return Verdict(False, f"Not yet. {self.say(hint)}")


@dataclass(frozen=True, eq=False)
class Lesson:
    """Some steps with one idea; it begins with what will be seen and ends with what to keep.

    `reading` are pages, scenario files and notebooks where it goes on.
    """

    number: int
    title: str
    opening: str
    steps: tuple[Step, ...]
    takeaway: str
    reading: tuple[str, ...]
    _preparing: Lock = field(default_factory=Lock, repr=False)

    def prepare(self) -> None:
        """Find out all that the steps will need, before anybody waits for it.

        One visitor's page does it for all: a class that opens a lesson at once needs one thread.
        """
        if self._preparing.acquire(blocking=False):
            try:
                for step in self.steps:
                    step.explain()
            finally:
                self._preparing.release()
