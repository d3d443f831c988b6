"""Lesson 3: regret goes by true means, compensation by records."""

from __future__ import annotations

import math
from dataclasses import replace

from scipy.stats import binom

from kcmab_abm.lab.desk import Desk
from kcmab_abm.lab.lessons.lesson import ArmQuestion, Facts, Lesson, NumberQuestion, Slip, Step
from kcmab_abm.lab.lessons.scene import run_of, sight_at, world
from kcmab_abm.theory.bounds import gaps

BEFORE, TRUE = [0.1, 0.9], [0.9, 0.1]
OBSERVATIONS = 20
SEED = 21  # one 1 in ten reports on arm 0, nine on arm 1; then the left controller pays nothing

MARKET = world(
    "0.9 and 0.1",
    BEFORE,
    ["modified-epsilon-greedy", "round-robin"],
    seed=SEED,
    horizon=40,
    change={"kind": "piecewise", "at": [OBSERVATIONS + 1], "means": [TRUE]},
)
FREE = Desk(MARKET, left=0, shown=OBSERVATIONS)
PAID = replace(FREE, left=1)


def next_customer(desk: Desk) -> dict[str, float]:
    """What customer 21 sees, takes, loses and is paid."""
    sight, run, place = sight_at(desk), run_of(desk), desk.shown
    best, worse = TRUE
    return {
        "arm": int(run.arms[place]),
        "regret": float(run.regrets[place]),
        "payment": float(run.payments[place]),
        "record0": float(sight.means[0]),
        "record1": float(sight.means[1]),
        "pulls": int(sight.pulls[0]),
        "customer": place + 1,
        "best": best,
        "worse": worse,
        "gap": best - worse,
        "none": 0.0,
    }


def choice_of_the_free(desk: Desk) -> Facts:
    """Where she goes, and how unlikely such records are."""
    facts = next_customer(desk)
    pulls, ones = int(facts["pulls"]), round(facts["pulls"] * facts["record0"])
    unlucky = float(binom.pmf(ones, pulls, TRUE[0]) * binom.pmf(pulls - ones, pulls, TRUE[1]))
    return {**facts, "answer": facts["arm"], "power": round(-math.log10(unlucky))}


def regret_of_the_next(desk: Desk) -> Facts:
    """What she loses."""
    facts = next_customer(desk)
    return {**facts, "answer": facts["regret"], "realised": facts["record1"]}


def payment_of_the_next(desk: Desk) -> Facts:
    """What she is paid."""
    facts = next_customer(desk)
    return {**facts, "answer": facts["payment"]}


def in_the_long_run(desk: Desk) -> Facts:
    """What the least offer for the worse arm comes near to, when records are true."""
    return {**next_customer(desk), "answer": gaps(TRUE)[0]}


LESSON = Lesson(
    number=3,
    title="Regret is not compensation",
    opening=(
        "You will see one customer at whom regret and compensation part: without a payment she "
        "causes regret, and with a payment she causes none. The example is the paper's; it calls "
        "the arms 1 and 2, here they are 0 and 1."
    ),
    steps=(
        Step(
            title="Twenty misleading reports",
            text=(
                "Arm 0 pays {best:.1f} on average, arm 1 {worse:.1f}. But the {pulls} reports on "
                "each of them say the opposite: {record0:.1f} and {record1:.1f}. (One would wait "
                "for such luck through some 10 to the power of {power} markets, so "
                "here the two arms changed places after twenty customers. From now on the means "
                "are as said.) Customer {customer} is offered nothing."
            ),
            desk=FREE,
            question=ArmQuestion(
                "Which arm does customer {customer} take?",
                "She compares records.",
                (Slip("0", "You know that arm 0 is better. What does she know?"),),
            ),
            explanation="Arm {answer}, whose record is {record1:.1f}.",
            find=choice_of_the_free,
        ),
        Step(
            title="Her regret",
            text=(
                "She takes arm {arm}. Its true mean is {worse:.1f}; that of arm 0 is {best:.1f}."
            ),
            desk=FREE,
            question=NumberQuestion(
                "How much regret does she add?",
                "Best true mean less the true mean of her arm.",
                (
                    Slip("none", "She is content with the records, but regret does not ask them."),
                    Slip("worse", "That is what she earns on average. What does she miss?"),
                    Slip("best", "She does earn something: {worse:.1f} on average."),
                ),
            ),
            explanation="{best:.1f} − {worse:.1f} = {answer:.1f}.",
            find=regret_of_the_next,
        ),
        Step(
            title="Her payment",
            text="Still the same customer {customer}, who takes arm {arm}.",
            desk=FREE,
            question=NumberQuestion(
                "What does the controller have to pay her for it?",
                "What would she have done without any offer?",
                (
                    Slip(
                        "gap", "That is the regret. Nobody has to be paid for what she does anyway."
                    ),
                ),
            ),
            explanation=(
                "Nothing: arm {arm} has the best record. So regret {regret:.1f} without any "
                "payment. Press “One customer” and look at what she does."
            ),
            find=payment_of_the_next,
            buttons=True,
        ),
        Step(
            title="Another controller, the same records",
            text=(
                "This controller has seen the same twenty reports, and wants arm 0 to be tried "
                "again. Customer {customer} compares {record0:.1f} and {record1:.1f} as before."
            ),
            desk=PAID,
            question=NumberQuestion(
                "What is she paid for taking arm 0?",
                "Best record less the record of arm 0.",
                (
                    Slip(
                        "none",
                        "Arm 0 is better in truth, but she does not know. Unpaid she takes arm 1.",
                    ),
                    Slip("best", "Her record for arm 0 is {record0:.1f}, not 0: take that off."),
                ),
            ),
            explanation="{record1:.1f} − {record0:.1f} = {answer:.1f}.",
            find=payment_of_the_next,
            buttons=True,
        ),
        Step(
            title="And her regret?",
            text="She takes arm {arm} and is paid {payment:.1f}.",
            desk=PAID,
            question=NumberQuestion(
                "How much regret does she add?",
                "Which arm is the best one in truth?",
                (
                    Slip(
                        "gap",
                        "That is what she is paid. Regret is measured with the true means, "
                        "and she is on the best arm.",
                    ),
                ),
            ),
            explanation=(
                "None: arm 0 is the best arm. So payment {payment:.1f} without any regret, and "
                "before it was regret without payment. Neither bounds the other, customer by "
                "customer."
            ),
            find=regret_of_the_next,
        ),
        Step(
            title="When do they agree?",
            text=(
                "Suppose that both arms have been tried very often, so that their records are "
                "close to their true means {best:.1f} and {worse:.1f}."
            ),
            desk=FREE,
            question=NumberQuestion(
                "Near what number is the least offer for arm 1 then?",
                "Put the true means where the records stand: best record less that of arm 1.",
                (Slip("none", "Arm 1 is the worse one now, also by its record."),),
            ),
            explanation=(
                "{answer:.1f}, the regret of taking arm 1. Once records are true, whoever pays for "
                "exploration pays just what is lost by it; while they are not, anything may happen."
            ),
            find=in_the_long_run,
        ),
    ),
    takeaway=(
        "Regret is counted with the true means, compensation with the records: either can be there "
        "without the other."
    ),
    reading=("docs/theory/measures.md", "docs/theory/lower-bound.md", "docs/paper.md"),
)
