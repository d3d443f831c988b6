"""The lessons without a browser: their markets, their answers, what they say to wrong ones."""

from __future__ import annotations

import math
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import kcmab_abm as kcmab
from kcmab_abm.lab import lessons
from kcmab_abm.lab.course import Course
from kcmab_abm.lab.desk import from_link, to_link
from kcmab_abm.lab.lessons import all_lessons
from kcmab_abm.lab.lessons.lesson import ChoiceQuestion, NumberQuestion

LESSONS = all_lessons()
STEPS = [
    pytest.param(step, id=f"{lesson.number}-{place}")
    for lesson in LESSONS
    for place, step in enumerate(lesson.steps, 1)
]


def step_of(lesson, place):
    """A step by the numbers that the page shows."""
    return LESSONS[lesson - 1].steps[place - 1]


def run_of(step, place=0):
    """The run of a controller on the step's desk, by the public function."""
    return kcmab.play(step.desk.scenario, step.desk.policies[place].label, engine="market")


def records(run, customers, arms):
    """Every arm's mean over the first customers, from what they earned."""
    taken, earned = run.arms[:customers], run.rewards[:customers]
    return [float(earned[taken == arm].mean()) for arm in range(arms)]


def texts(lesson):
    """Everything that a lesson says."""
    yield from (lesson.title, lesson.opening, lesson.takeaway)
    for step in lesson.steps:
        question = step.question
        yield from (step.title, step.say(step.text), step.explain(), step.say(question.prompt))
        yield from (step.say(hint) for hint in [question.hint, *(s.hint for s in question.slips)])
        yield from step.options().values()


def test_there_are_six_lessons_of_four_to_six_steps():
    """The lessons are numbered from 1 and none is longer than a quarter of an hour."""
    assert [lesson.number for lesson in LESSONS] == [1, 2, 3, 4, 5, 6]
    assert all(4 <= len(lesson.steps) <= 6 for lesson in LESSONS)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)
def test_texts_are_plain_and_complete(lesson):
    """Every text is plain words with all facts filled in; one sentence is left to take away."""
    for text in texts(lesson):
        assert text
        assert not re.search(r"[<>{}&]|nan\b", text), text
    assert lesson.opening.startswith("You will see ")
    assert re.fullmatch(r"[^.]+\.", lesson.takeaway)
    assert lesson.reading


@pytest.mark.parametrize("step", STEPS)
def test_the_right_answer_is_accepted(step):
    """The answer is right as computed, and as the page shows it."""
    assert step.check(str(step.answer)).right
    if isinstance(step.question, NumberQuestion):
        assert step.check(step.right_answer()).right
        assert step.check(step.right_answer().replace(".", ",")).right
    else:
        assert step.right_answer() in step.options().values()


@pytest.mark.parametrize("step", STEPS)
def test_typical_wrong_answers_get_their_own_hint(step):
    """A foreseen slip is refused with the words meant for it, which need not be guessed."""
    for slip in step.question.slips:
        is_number = isinstance(step.question, NumberQuestion)
        verdict = step.check(repr(float(step.facts[slip.wrong])) if is_number else slip.wrong)
        assert not verdict.right
        assert verdict.counts
        assert verdict.words == f"Not yet. {step.say(slip.hint)}"


@pytest.mark.parametrize("step", STEPS)
def test_other_wrong_answers_are_refused(step):
    """Far away numbers and every other option are wrong, with some hint."""
    is_number = isinstance(step.question, NumberQuestion)
    wrong = ["-12345.6", "1e9"] if is_number else [*step.options().keys() - {str(step.answer)}]
    assert wrong
    for given in wrong:
        verdict = step.check(given)
        assert not verdict.right
        assert len(verdict.words) > len("Not yet. ")
    if isinstance(step.question, ChoiceQuestion):
        assert {slip.wrong for slip in step.question.slips} == {*wrong}, "an option without a hint"


@pytest.mark.parametrize("given", [None, "", "  ", "abc", "nan", "inf", "1e999", "<b>1</b>", "1 2"])
def test_what_is_no_number_is_no_try(given):
    """A slip of the keyboard gets a message and costs nothing."""
    course = Course()
    course.go(3, 1)
    for _ in range(3):
        verdict = course.answer(given)
        assert not verdict.right
        assert not verdict.counts
    assert not course.may_see


def test_numbers_are_read_as_students_write_them():
    """A comma, blanks and a percent sign are understood."""
    step = step_of(3, 2)
    assert all(step.check(given).right for given in ("0.8", "0,8", " .80 ", "80 %", "80%", "8e-1"))


@pytest.mark.parametrize("step", STEPS)
def test_what_is_waited_for_is_quick(step):
    """The facts that a step needs to be shown play single small markets only."""
    assert step.desk.scenario.horizon <= 500
    assert step.desk.shown <= step.desk.scenario.horizon


@pytest.mark.parametrize("step", STEPS)
def test_the_market_can_be_taken_along(step):
    """The page accepts every step's market: a link restores it whole."""
    desk = from_link(to_link(step.desk))
    assert desk == step.desk


def test_the_course_remembers_what_is_done():
    """Wrong answers are counted step by step; the answer may be seen after two; right ones last."""
    course = Course()
    course.go(1, 0)
    assert not course.answer("0").right
    assert not course.may_see
    course.answer("0")
    assert course.may_see
    course.give_up()
    course.go(1, 1)
    assert not course.may_see
    assert course.answer("1").right
    lesson = course.lessons[0]
    assert course.count_done(lesson) == 2
    assert course.next_in(lesson) == 2
    course.go(99, 99)
    assert (course.lesson.number, course.is_last) == (6, True)
    course.go(-5, -5)
    assert (course.lesson.number, course.place) == (1, 0)


def test_the_course_recalls_what_was_done():
    """Marks that were kept are the same marks again; nonsense in their place marks nothing."""
    course, later = Course(), Course()
    course.go(3, 1)
    course.give_up()
    course.go(3, 5)
    course.give_up()
    lesson = course.lessons[2]
    assert course.marks(lesson) == "2.6"
    assert course.marks(course.lessons[0]) == ""
    later.recall(lesson, "2.6")
    assert later.marks(lesson) == "2.6"
    later.recall(later.lessons[0], "99..x.-1.<b>.0.1e0")
    assert later.count_done(later.lessons[0]) == 0


def test_greedy_never_returns():
    """Lesson 1: the best arm begins with a 0, the other with a 1, and nobody goes back."""
    run = run_of(step_of(1, 1))
    assert run.rewards[:2].tolist() == [0.0, 1.0]
    assert run.arms[0] == 0
    assert (run.arms[1:] == 1).all()
    assert step_of(1, 1).answer == 1
    assert step_of(1, 2).answer == 1
    assert step_of(1, 4).answer == pytest.approx((0.8 - 0.5) * (len(run) - 1))
    chance = step_of(1, 5)
    assert chance.answer == pytest.approx(0.2 * 0.5)
    assert chance.findings["locked"] > chance.answer, "every such start locks in, and others do too"


def test_payments_bring_customers_back():
    """Lesson 2: on the same tapes UCB pays, the best arm wins, and less is lost than paid."""
    desk = step_of(2, 4).desk
    paying, free = run_of(step_of(2, 4), 0), run_of(step_of(2, 4), 1)
    assert free.arms.tolist() == run_of(step_of(1, 1)).arms.tolist(), "the world of lesson 1"
    best, other = records(paying, 3, 2)
    assert step_of(2, 1).answer == other - best
    first = int(np.argmax(paying.payments > 0.0))
    assert step_of(2, 2).answer == first + 1
    means = records(paying, first, 2)
    assert step_of(2, 2).facts["payment"] == pytest.approx(max(means) - means[0])
    assert (paying.arms[-100:] == 0).sum() > 50
    means = np.array(desk.scenario.market.means)
    regrets = [float((0.8 - means[run.arms]).sum()) for run in (paying, free)]
    assert step_of(2, 4).answer == pytest.approx(regrets[1] - regrets[0])
    assert step_of(2, 5).answer == pytest.approx((regrets[1] - regrets[0]) / paying.payments.sum())
    even = step_of(2, 5).facts["even"]
    ahead = np.cumsum(free.regrets) - np.cumsum(paying.regrets + paying.payments)
    assert (ahead[even - 1 :] >= 0.0).all()
    assert ahead[even - 2] < 0.0


def test_regret_without_payment_and_payment_without_regret():
    """Lesson 3: after twenty reports that mislead, 0.8 and 0 without an offer, 0 and 0.8 with."""
    for step, arm, regret, payment in ((step_of(3, 1), 1, 0.8, 0.0), (step_of(3, 4), 0, 0.0, 0.8)):
        run = run_of(step)
        assert records(run, 20, 2) == [0.1, 0.9]
        assert np.bincount(run.arms[:20]).tolist() == [10, 10]
        assert (run.arms[20], run.regrets[20], run.payments[20]) == (arm, regret, payment)
    left, right = run_of(step_of(3, 1)), run_of(step_of(3, 4))
    assert left.rewards[:20].tolist() == right.rewards[:20].tolist()
    assert [step_of(3, place).answer for place in range(1, 7)] == [1, 0.8, 0.0, 0.8, 0.0, 0.8]
    unlucky = (10 * 0.9 * 0.1**9) ** 2
    assert step_of(3, 1).facts["power"] == round(-math.log10(unlucky))


def test_ucb_computes_and_thompson_draws():
    """Lesson 4: bound and posterior follow from the records; only Thompson's choice varies."""
    step, run = step_of(4, 1), run_of(step_of(4, 1))
    means, pulls = records(run, 8, 3), np.bincount(run.arms[:8])
    bounds = [m + math.sqrt(2.0 * math.log(9) / n) for m, n in zip(means, pulls, strict=True)]
    assert step.answer == pytest.approx(max(bounds))
    assert run.targets[8] == int(np.argmax(bounds))
    assert run.payments[8] == pytest.approx(max(means) - means[run.targets[8]])
    run = run_of(step_of(4, 2))
    shown = run.rewards[:8][run.arms[:8] == 0]
    assert step_of(4, 2).answer == pytest.approx((1 + shown.sum()) / (2 + len(shown)))
    assert step_of(4, 3).answer == "ts"
    assert step_of(4, 3).findings["same"] >= 10
    ucb, thompson = run_of(step_of(4, 4), 0), run_of(step_of(4, 4), 1)
    assert step_of(4, 4).answer == pytest.approx(ucb.payments.sum() / thompson.payments.sum())


def test_thompson_is_cheaper_on_average():
    """Lesson 4: over many markets the intervals of regret and compensation do not even touch."""
    step = step_of(4, 5)
    table = kcmab.simulate(step.desk.scenario.replace(replications=step.facts["runs"])).summary()
    ucb, thompson = table.iloc[0], table.iloc[1]
    assert thompson["regret_high"] < ucb["regret_low"]
    assert thompson["compensation_high"] < ucb["compensation_low"]
    assert step.answer == "ts"


def test_the_second_of_a_round_is_paid_by_the_newest_records():
    """Lesson 5: the first customer's reward raises one price and makes the next one vanish."""
    for place, rises in ((3, True), (4, False)):
        step = step_of(5, place)
        run, first = run_of(step), step.desk.shown
        before, after = records(run, first, 3), records(run, first + 1, 3)
        arm = int(run.targets[first + 1])
        assert run.payments[first] == 0.0
        assert run.arms[first] == int(np.argmax(before)), "the first one gets the leader"
        assert before[arm] < max(before), "the sample points to an arm that is behind"
        assert step.answer == pytest.approx(max(after) - after[arm])
        assert (step.answer > max(before) - before[arm]) is rises
        assert (step.answer > 0.0) is rises


def test_only_the_second_of_a_round_is_ever_paid():
    """Lesson 5: payments go to customers N + 2, N + 4, and so on, so to 248 of 500 at most."""
    run = run_of(step_of(5, 2))
    paid = np.flatnonzero(run.payments > 0.0) + 1
    assert ((paid - 3) % 2 == 0).all()
    assert step_of(5, 2).answer == len(range(5, 501, 2))
    assert step_of(5, 1).answer == "first"
    rounds, plain = run_of(step_of(5, 5), 0), run_of(step_of(5, 5), 1)
    assert step_of(5, 5).answer == pytest.approx(plain.payments.sum() - rounds.payments.sum())
    findings = step_of(5, 5).findings
    assert findings["mean_paid"] < findings["mean_other"]


def test_noisy_customers_refuse_and_explore():
    """Lesson 6: the least offer is a toss, customer 5 refuses it, and noise finds the best arm."""
    run = run_of(step_of(6, 1))
    means = records(run, 4, 2)
    offer = float(run.offers[4])
    assert offer == pytest.approx(means[1] - means[0])
    weights = np.exp(np.array([means[0] + offer, means[1]]) / 0.1)
    assert step_of(6, 1).answer == pytest.approx(weights[0] / weights.sum())
    assert (run.targets[4], run.arms[4], run.payments[4]) == (0, 1, 0.0)
    assert step_of(6, 2).answer == 0.0
    assert step_of(6, 3).answer == 2.0
    assert 1.0 / (1.0 + math.exp(-step_of(6, 4).answer / 0.1)) == pytest.approx(0.9)
    assert step_of(6, 5).answer == pytest.approx(offer + step_of(6, 4).answer)
    unpaid = run_of(step_of(6, 6))
    assert unpaid.payments.sum() == 0.0
    assert unpaid.arms[:12].tolist() == [0, *[1] * 10, 0]
    means = records(unpaid, 11, 2)
    assert step_of(6, 6).answer == pytest.approx(
        1.0 / (1.0 + math.exp((means[1] - means[0]) / 0.1))
    )
    assert (unpaid.arms == 0).mean() > 0.9


def test_the_margin_is_accepted_and_costs_more():
    """Lesson 6: nine in ten offers with the margin are taken, and the bill is higher."""
    step = step_of(6, 5)
    purse = {"offer": {"rule": "fixed-margin", "margin": step.facts["margin"]}}
    run = kcmab.play(step.desk.scenario.replace(purse=purse), "ucb", engine="market")
    offered = run.offers > 0.0
    assert (run.arms == run.targets)[offered].mean() == pytest.approx(0.9, abs=0.1)
    assert step.facts["dear_paid"] == pytest.approx(run.payments.sum())
    assert step.facts["dear_paid"] > step.facts["least_paid"]


def test_lessons_know_nothing_of_the_page():
    """The lessons are plain Python, for a test or another page to walk through."""
    for file in Path(lessons.__file__).parent.glob("*.py"):
        assert "nicegui" not in file.read_text(encoding="utf-8")


def test_reading_exists():
    """What a lesson points to is there: a page, a scenario file, a notebook."""
    root = Path(kcmab.__file__).parents[1]
    for lesson in LESSONS:
        for path in lesson.reading:
            assert (root / path).is_file() or not (root / path).parent.is_dir(), path


def test_a_class_prepares_a_lesson_once():
    """While one thread finds out what a lesson needs, others go on at once."""
    lesson = LESSONS[2]
    with lesson._preparing:
        lesson.prepare()
    assert not lesson._preparing.locked()


def test_facts_are_found_once():
    """A step's market is played once for all who ask, and the survey only when it is needed."""
    asked = []
    step = step_of(1, 5)
    parts = {part.name: getattr(step, part.name) for part in fields(step) if part.init}
    parts |= {
        "find": lambda desk: asked.append("find") or step.facts,
        "survey": lambda desk: asked.append("survey") or {"runs": 1, "locked": 0.5},
        "_found": {},
    }
    fresh = type(step)(**parts)
    assert fresh.check("0.1").right
    assert fresh.say(fresh.text)
    assert asked == ["find"]
    assert "50%" in fresh.explain()
    fresh.explain()
    assert asked == ["find", "survey"]
