"""The lessons without a browser: their texts, answers and hints."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

import kcmab_abm as kcmab
from kcmab_abm.lab.model.lesson_progress import LessonProgress
from kcmab_abm.lab.model.lessons import all_lessons
from kcmab_abm.lab.model.lessons.lesson import ChoiceQuestion, NumberQuestion
from kcmab_abm.lab.model.share_links import from_link, to_link

LESSONS = all_lessons()
STEPS = [
    pytest.param(step, id=f"{lesson.number}-{place}")
    for lesson in LESSONS
    for place, step in enumerate(lesson.steps, 1)
]


def step_of(lesson, place):
    """A step by its lesson and place, counted from 1."""
    return LESSONS[lesson - 1].steps[place - 1]


def texts(lesson):
    """All texts of a lesson."""
    yield from (lesson.title, lesson.opening, lesson.takeaway)
    for step in lesson.steps:
        question = step.question
        yield from (step.title, step.say(step.text), step.explain(), step.say(question.prompt))
        yield from (step.say(hint) for hint in [question.hint, *question.mistakes.values()])
        yield from step.options().values()


def test_there_are_six_lessons_of_four_to_six_steps():
    """The lessons are numbered from 1 and short enough for a quarter of an hour."""
    assert [lesson.number for lesson in LESSONS] == [1, 2, 3, 4, 5, 6]
    assert all(4 <= len(lesson.steps) <= 6 for lesson in LESSONS)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)
def test_texts_are_plain_and_complete(lesson):
    """Every text is plain, with all facts filled in; the takeaway is one sentence."""
    for text in texts(lesson):
        assert text
        assert not re.search(r"[<>{}&]|nan\b", text), text
    assert lesson.opening.startswith("You will see ")
    assert re.fullmatch(r"[^.]+\.", lesson.takeaway)
    assert lesson.reading


@pytest.mark.parametrize("step", STEPS)
def test_the_right_answer_is_accepted(step):
    """The answer is accepted both as computed and as the page shows it."""
    assert step.check(str(step.answer)).right
    if isinstance(step.question, NumberQuestion):
        assert step.check(step.right_answer()).right
        assert step.check(step.right_answer().replace(".", ",")).right
    else:
        assert step.right_answer() in step.options().values()


@pytest.mark.parametrize("step", STEPS)
def test_typical_wrong_answers_get_their_own_hint(step):
    """A typical mistake is refused with the hint written for it."""
    for wrong, hint in step.question.mistakes.items():
        is_number = isinstance(step.question, NumberQuestion)
        verdict = step.check(repr(float(step.facts[wrong])) if is_number else wrong)
        assert not verdict.right
        assert verdict.counts
        assert verdict.words == f"Not yet. {step.say(hint)}"


@pytest.mark.parametrize("step", STEPS)
def test_other_wrong_answers_are_refused(step):
    """Distant numbers and all other options are wrong and get a hint."""
    is_number = isinstance(step.question, NumberQuestion)
    wrong = ["-12345.6", "1e9"] if is_number else [*step.options().keys() - {str(step.answer)}]
    assert wrong
    for given in wrong:
        verdict = step.check(given)
        assert not verdict.right
        assert len(verdict.words) > len("Not yet. ")
    if isinstance(step.question, ChoiceQuestion):
        assert {*step.question.mistakes} == {*wrong}, "an option without a hint"


@pytest.mark.parametrize("given", [None, "", "  ", "abc", "nan", "inf", "1e999", "<b>1</b>", "1 2"])
def test_what_is_no_number_is_no_try(given):
    """A typing error gets a message and does not count as a try."""
    progress = LessonProgress()
    progress.go(3, 1)
    for _ in range(3):
        verdict = progress.answer(given)
        assert not verdict.right
        assert not verdict.counts
    assert not progress.may_see


def test_numbers_are_read_as_students_write_them():
    """A decimal comma, blanks and a percent sign are accepted."""
    step = step_of(3, 2)
    assert all(step.check(given).right for given in ("0.8", "0,8", " .80 ", "80 %", "80%", "8e-1"))


@pytest.mark.parametrize("step", STEPS)
def test_what_is_waited_for_is_quick(step):
    """The facts needed to show a step come from small markets."""
    assert step.setup.scenario.horizon <= 500
    assert step.setup.shown <= step.setup.scenario.horizon


@pytest.mark.parametrize("step", STEPS)
def test_the_market_can_be_taken_along(step):
    """The page accepts every step's market, and a link restores it."""
    setup = from_link(to_link(step.setup))
    assert setup == step.setup


def test_the_course_remembers_what_is_done():
    """Wrong answers are counted per step; after two the answer may be shown."""
    progress = LessonProgress()
    progress.go(1, 0)
    assert not progress.answer("0").right
    assert not progress.may_see
    progress.answer("0")
    assert progress.may_see
    progress.give_up()
    progress.go(1, 1)
    assert not progress.may_see
    assert progress.answer("1").right
    lesson = progress.lessons[0]
    assert progress.count_done(lesson) == 2
    assert progress.next_in(lesson) == 2
    progress.go(99, 99)
    assert (progress.lesson.number, progress.is_last) == (6, True)
    progress.go(-5, -5)
    assert (progress.lesson.number, progress.place) == (1, 0)


def test_the_course_recalls_what_was_done():
    """Saved marks are restored; invalid ones are ignored."""
    progress, later = LessonProgress(), LessonProgress()
    progress.go(3, 1)
    progress.give_up()
    progress.go(3, 5)
    progress.give_up()
    lesson = progress.lessons[2]
    assert progress.marks(lesson) == "2.6"
    assert progress.marks(progress.lessons[0]) == ""
    later.recall(lesson, "2.6")
    assert later.marks(lesson) == "2.6"
    later.recall(later.lessons[0], "99..x.-1.<b>.0.1e0")
    assert later.count_done(later.lessons[0]) == 0


def test_reading_exists():
    """The further reading exists: pages, scenario files, notebooks."""
    root = Path(kcmab.__file__).parents[1]
    for lesson in LESSONS:
        for path in lesson.reading:
            assert (root / path).is_file() or not (root / path).parent.is_dir(), path


def test_a_class_prepares_a_lesson_once():
    """While one thread prepares a lesson, others do not wait."""
    lesson = LESSONS[2]
    with lesson._preparing:
        lesson.prepare()
    assert not lesson._preparing.locked()


def test_facts_are_found_once():
    """Facts are computed once for all visitors, and the survey only when needed."""
    asked = []
    step = step_of(1, 5)
    parts = {part.name: getattr(step, part.name) for part in fields(step) if part.init}
    parts |= {
        "find": lambda setup: asked.append("find") or step.facts,
        "survey": lambda setup: asked.append("survey") or {"runs": 1, "locked": 0.5},
        "_found": {},
    }
    fresh = type(step)(**parts)
    assert fresh.check("0.1").right
    assert fresh.say(fresh.text)
    assert asked == ["find"]
    assert "50%" in fresh.explain()
    fresh.explain()
    assert asked == ["find", "survey"]
