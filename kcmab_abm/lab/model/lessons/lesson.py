"""A lesson: steps, each with a market, a question and a computed answer.

No answer is written down. Every step has a function that plays the step's market, or applies the
theory to it, and returns facts by name; one of them is the right answer. The texts of a step quote
facts in braces, so what a lesson says about its market is always true.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from threading import Lock, RLock
from typing import Any, NamedTuple

from kcmab_abm.lab.model.market_setup import Setup

Facts = Mapping[str, Any]
Find = Callable[[Setup], Facts]

TOLERANCES = (0.0, 0.1, 0.005)  # by the number of decimal places
ROUNDING = 1e-9  # so that a tolerance written in decimals includes its own limit


@dataclass(frozen=True)
class Question:
    """The question of a step.

    `answer` names the fact that is the right answer. `mistakes` holds a hint for each typical wrong
    answer, by the name of the fact that has the wrong number, or by the wrong option itself; `hint`
    is for all other wrong answers.
    """

    prompt: str
    hint: str
    answer: str = "answer"
    mistakes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NumberQuestion(Question):
    """A question whose answer is a number, accepted within a tolerance."""

    places: int = 2
    tolerance: float | None = None

    def accepts(self, number: float, right: float) -> bool:
        """Return True if a number is close enough to the right one."""
        usual = TOLERANCES[self.places] if self.tolerance is None else self.tolerance
        return abs(number - right) <= usual + ROUNDING

    def reading(self, given: str) -> float:
        """Parse a typed number, with a decimal point or comma, and perhaps a percent sign.

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
    """A question with a few options, by the word that the facts use for each."""

    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """The response to an answer; `counts` is False if nothing was answered at all."""

    right: bool
    words: str
    counts: bool = True


@dataclass(frozen=True, eq=False)
class Step:
    """One step: a text, a market at some customer, a question, and an explanation of the answer.

    `find` must be quick because the student waits for it; `survey` may run many markets and is
    called when an answer is checked or explained. `buttons` lets the student step through the
    market herself; `totals` shows the costs so far.
    """

    setup: Setup
    find: Find
    survey: Find | None
    title: str
    text: str
    question: Question
    explanation: str
    buttons: bool = False
    totals: bool = False
    _found: dict[str, Facts] = field(default_factory=dict, repr=False)
    _finding: RLock = field(default_factory=RLock, repr=False)

    @property
    def facts(self) -> Facts:
        """The facts about the step's market, computed once for all visitors."""
        return self._once("found", self.find)

    @property
    def findings(self) -> Facts:
        """The facts, and the findings of a survey of many markets."""
        surveyed = {} if self.survey is None else self._once("surveyed", self.survey)
        return {**self.facts, **surveyed}

    def _once(self, word: str, find: Find) -> Facts:
        with self._finding:
            if word not in self._found:
                self._found[word] = find(self.setup)
        return self._found[word]

    @property
    def answer(self) -> Any:
        """The right answer: a number, or the word for an option."""
        name = self.question.answer
        return (self.facts if name in self.facts else self.findings)[name]

    @property
    def last_customer(self) -> int | None:
        """The last customer that the step is about; None if it is about no single one."""
        texts = (self.text, self.question.prompt, self.explanation)
        named = {name for text in texts for _, name, _, _ in Formatter().parse(text)}
        for word in ("next", "customer"):
            if word in named:
                return int(self.facts[word])
        return None

    def say(self, text: str) -> str:
        """A text of this step with the facts filled in."""
        return text.format(**self.facts)

    def explain(self) -> str:
        """The explanation of the answer."""
        return self.explanation.format(**self.findings)

    def options(self) -> dict[str, str]:
        """The options to choose from; none if the answer is a number."""
        if isinstance(self.question, ChoiceQuestion):
            return {word: self.say(text) for word, text in self.question.options.items()}
        return {}

    def check(self, given: str | None) -> Verdict:
        """Check an answer and choose the response to it."""
        if given is None or not given.strip():
            return Verdict(False, "Please give an answer first.", counts=False)
        if isinstance(self.question, NumberQuestion):
            return self._check_number(given, self.question)
        right = given == str(self.answer)
        return self._verdict(right, self.question.mistakes.get(given))

    def right_answer(self) -> str:
        """The right answer in words."""
        if isinstance(self.question, NumberQuestion):
            return f"{self.answer:.{self.question.places}f}"
        return self.options()[str(self.answer)]

    def _check_number(self, given: str, question: NumberQuestion) -> Verdict:
        try:
            number = question.reading(given)
        except ValueError:
            words = f"{given.strip()!r} is not a number; write it like 3 or 0.25."
            return Verdict(False, words, counts=False)
        made = (
            hint
            for wrong, hint in question.mistakes.items()
            if question.accepts(number, self.facts[wrong])
        )
        return self._verdict(question.accepts(number, self.answer), next(made, None))

    def _verdict(self, right: bool, hint: str | None) -> Verdict:
        return Verdict(
            right, "Right." if right else f"Not yet. {self.say(hint or self.question.hint)}"
        )


@dataclass(frozen=True, eq=False)
class Lesson:
    """A few steps that teach one idea, with an opening and a takeaway.

    `reading` lists pages, scenario files and notebooks for further study.
    """

    number: int
    title: str
    opening: str
    steps: tuple[Step, ...]
    takeaway: str
    reading: Sequence[str]
    _preparing: Lock = field(default_factory=Lock, repr=False)

    def prepare(self) -> None:
        """Compute everything that the steps need, before anybody waits for it.

        If a whole class opens the lesson at once, one thread does so for all of them.
        """
        if self._preparing.acquire(blocking=False):
            try:
                for step in self.steps:
                    step.explain()
            finally:
                self._preparing.release()


class Scene(NamedTuple):
    """The market of a step and the functions that compute its facts."""

    setup: Setup
    find: Find
    survey: Find | None = None


_QUESTIONS: dict[str, type[Question]] = {"number": NumberQuestion, "choice": ChoiceQuestion}


def read_lesson(module: str, *scenes: Scene) -> Lesson:
    """Read a lesson's texts from the TOML file next to its module, and add a scene to each step."""
    table = _unwrapped(tomllib.loads(Path(module).with_suffix(".toml").read_text("utf-8")))
    steps = []
    for scene, words in zip(scenes, table.pop("step"), strict=True):
        (kind,) = _QUESTIONS.keys() & words.keys()
        question = _QUESTIONS[kind](**words.pop(kind))
        steps.append(Step(*scene, question=question, **words))
    return Lesson(steps=tuple(steps), **table)


def _unwrapped(value: Any) -> Any:
    """The same texts without line breaks."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        return [_unwrapped(each) for each in value]
    if isinstance(value, dict):
        return {word: _unwrapped(each) for word, each in value.items()}
    return value
