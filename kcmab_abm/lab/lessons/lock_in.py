"""Lesson 1: one unlucky customer, and nobody ever tries the best arm again."""

from __future__ import annotations

from dataclasses import replace

from kcmab_abm.experiment import simulate
from kcmab_abm.lab.desk import Desk
from kcmab_abm.lab.lessons.lesson import (
    ArmQuestion,
    Facts,
    Lesson,
    NumberQuestion,
    Slip,
    Step,
)
from kcmab_abm.lab.lessons.scene import run_of, sight_at, true_gap, true_means, world

SEED = 6  # the best arm's first reward is 0, the other's is 1, and greedy never returns
RUNS = 1000

MARKET = world("Nobody pays", [0.8, 0.5], ["greedy"], seed=SEED, horizon=300)
START = Desk(MARKET, shown=2)


def third_customer(desk: Desk) -> Facts:
    """Whom customer 3 follows."""
    sight, run = sight_at(desk), run_of(desk)
    return {
        "answer": int(run.arms[desk.shown]),
        "record0": float(sight.means[0]),
        "record1": float(sight.means[1]),
    }


def pulls_in_the_end(desk: Desk) -> Facts:
    """How often the best arm is taken in the whole run."""
    run = run_of(desk)
    return {
        "answer": int((run.arms == 0).sum()),
        "half": len(run) / 2,
        "customers": len(run),
        "none": 0,
        "record1": float(run.rewards[run.arms == 1].mean()),
    }


def one_regret(desk: Desk) -> Facts:
    """What one customer on the wrong arm loses."""
    best, worse = true_means(desk)
    return {"answer": float(run_of(desk).regrets[-1]), "best": best, "worse": worse, "none": 0.0}


def whole_regret(desk: Desk) -> Facts:
    """What all customers lose together."""
    run, gap = run_of(desk), true_gap(desk)
    return {
        "answer": float(run.regrets.sum()),
        "gap": gap,
        "customers": len(run),
        "wrong": int((run.arms == 1).sum()),
        "all_wrong": len(run) * gap,
        "chosen_only": (len(run) - 2) * gap,
    }


def chance(desk: Desk) -> Facts:
    """How likely the first two rewards are these."""
    best, worse = true_means(desk)
    return {
        "answer": (1.0 - best) * worse,
        "best": best,
        "worse": worse,
        "only_best": 1.0 - best,
        "lucky": best * worse,
    }


def locked_in(desk: Desk) -> Facts:
    """How often a run ends on the wrong arm."""
    table = simulate(desk.scenario.replace(replications=RUNS)).summary()
    return {"runs": RUNS, "locked": float(table["locked_in"][0])}


LESSON = Lesson(
    number=1,
    title="Why greedy customers lock in",
    opening=(
        "You will see a market in which nobody pays anybody. Every customer looks at the records "
        "and takes the arm that looks best. One unlucky reward at the start is enough, and the "
        "best arm is never tried again."
    ),
    steps=(
        Step(
            title="Two reports",
            text=(
                "The first two customers were sent to arm 0 and arm 1. What they earned is all "
                "that is known. The record of an arm is the mean of its rewards so far: "
                "{record0:.2f} for arm 0, {record1:.2f} for arm 1. Customer 3 stands before the "
                "board. She takes the arm with the best record."
            ),
            desk=START,
            question=ArmQuestion(
                "Which arm does customer 3 take?",
                "Compare the two records on the board.",
                (Slip("0", "She sees records, not true means. Which record is higher?"),),
            ),
            explanation=(
                "She takes arm {answer}: {record1:.2f} is more than {record0:.2f}. It does not "
                "matter to her that each record is a single reward."
            ),
            find=third_customer,
        ),
        Step(
            title="Nobody goes back",
            text=(
                "Press “One customer” some ten times and watch the record of arm 0, and "
                "that of arm 1. Then think ahead: {customers} customers will come."
            ),
            desk=START,
            question=NumberQuestion(
                "How many of the {customers} customers will have taken arm 0 in the end?",
                "The record of arm 0 changes only when somebody takes arm 0. Who will?",
                (
                    Slip(
                        "half",
                        "That would be fair, but customers are not fair. Who would leave "
                        "an arm with a record above 0 for one with a record of 0?",
                    ),
                    Slip(
                        "none", "Nobody chooses it, but one customer was sent there at the start."
                    ),
                ),
                tolerance=0.0,
                places=0,
            ),
            explanation=(
                "Only {answer}: the customer who was sent there. Arm 1 ends with a record of "
                "{record1:.2f}. It has paid once, so its record can never fall to 0, and the "
                "record of arm 0 stays at 0 because nobody adds to it."
            ),
            find=pulls_in_the_end,
            buttons=True,
        ),
        Step(
            title="What one customer loses",
            text=(
                "Now the truth, which no customer knows: arm 0 pays {best:.1f} on average, arm 1 "
                "{worse:.1f}. Regret is what the best arm would have paid on average, less what "
                "the arm taken pays on average."
            ),
            desk=replace(START, revealed=True),
            question=NumberQuestion(
                "How much regret does one customer on arm 1 add?",
                "Take the difference of the two true means.",
                (
                    Slip("worse", "That is what she earns on average. What does she miss?"),
                    Slip("best", "She does not lose everything: arm 1 pays her something."),
                    Slip(
                        "none",
                        "She did the best she could with what she saw, but regret is "
                        "measured with the true means.",
                    ),
                ),
            ),
            explanation="{best:.1f} − {worse:.1f} = {answer:.1f}, whatever she happens to earn.",
            find=one_regret,
        ),
        Step(
            title="What all of them lose",
            text=(
                "Here is the same market after all {customers} customers. The total is hidden; "
                "you have all you need to compute it."
            ),
            desk=replace(START, revealed=True, shown=MARKET.horizon),
            question=NumberQuestion(
                "How large is the regret of all {customers} customers together?",
                "Count the customers on arm 1 and multiply by {gap:.1f}.",
                (
                    Slip("all_wrong", "Nearly. One customer was on the best arm."),
                    Slip("chosen_only", "Nearly. The customer who was sent to arm 1 counts too."),
                ),
                tolerance=0.05,
                places=1,
            ),
            explanation=(
                "{wrong} customers were on arm 1: {wrong} × {gap:.1f} = {answer:.1f}. It grows by "
                "{gap:.1f} with every customer, for ever: regret is linear in time."
            ),
            find=whole_regret,
        ),
        Step(
            title="Is this bad luck rare?",
            text=(
                "All it took was that the first reward of arm 0 was 0 (it is 1 with probability "
                "{best:.1f}) and the first reward of arm 1 was 1 (with probability {worse:.1f})."
            ),
            desk=replace(START, revealed=True),
            question=NumberQuestion(
                "How likely is such a start?",
                "The two rewards are independent: multiply two probabilities.",
                (
                    Slip(
                        "only_best",
                        "That is the chance that arm 0 begins with a 0. Arm 1 must "
                        "begin with a 1 as well.",
                    ),
                    Slip(
                        "lucky",
                        "Arm 0 must begin with a 0, and that has the chance 1 − {best:.1f}.",
                    ),
                ),
            ),
            explanation=(
                "{only_best:.1f} × {worse:.1f} = {answer:.1f}. And there are more ways to be "
                "unlucky: of {runs} markets like this one, {locked:.0%} ended on the wrong arm."
            ),
            find=chance,
            survey=locked_in,
        ),
    ),
    takeaway=(
        "A record to which nobody adds is never corrected: customers who only follow records may "
        "stop learning too early, and then for ever."
    ),
    reading=("docs/theory/greedy.md", "docs/notebooks/1-greed-and-lock-in.ipynb"),
)
