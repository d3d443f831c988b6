"""Lesson 2: the same bad start, and a controller who pays customers to look again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kcmab_abm.lab.desk import Desk
from kcmab_abm.lab.lessons import lock_in
from kcmab_abm.lab.lessons.lesson import (
    ChoiceQuestion,
    Facts,
    Lesson,
    NumberQuestion,
    Slip,
    Step,
)
from kcmab_abm.lab.lessons.scene import run_of, sight_at, true_gap, true_means, world

MARKET = world("Somebody pays", [0.8, 0.5], ["ucb", "greedy"], seed=lock_in.SEED, horizon=300)
FREE = Desk(MARKET, shown=3)  # customer 4 is offered nothing yet
BOTH = Desk(MARKET, right=1, shown=MARKET.horizon, revealed=True)


def least_offer(desk: Desk) -> Facts:
    """What it takes to win this customer for arm 0."""
    sight = sight_at(desk)
    return {
        "answer": float(sight.means.max() - sight.means[0]),
        "record0": float(sight.means[0]),
        "record1": float(sight.means[1]),
        "true_gap": true_gap(desk),
        "customer": desk.shown + 1,
    }


def first_payment(desk: Desk) -> Facts:
    """Who is paid first, and how much."""
    run = run_of(desk)
    paid = np.flatnonzero(run.payments > 0.0)
    first = int(paid[0])
    sight = sight_at(replace(desk, shown=first))
    return {
        "answer": first + 1,
        "before": first,
        "second": int(paid[1]) + 1,
        "payment": float(run.payments[first]),
        "arm": int(run.arms[first]),
        "record0": float(sight.means[0]),
        "record1": float(sight.means[1]),
    }


def share_of_the_best(desk: Desk) -> Facts:
    """How many of the last hundred customers are on the best arm."""
    run, other = run_of(desk, 0), run_of(desk, 1)
    return {
        "answer": "most" if (run.arms[-100:] == 0).mean() > 0.5 else "few",
        "last": int((run.arms[-100:] == 0).sum()),
        "other": int((other.arms[-100:] == 0).sum()),
        "paid": int((run.payments > 0.0).sum()),
        "customers": len(run),
    }


def saved(desk: Desk) -> Facts:
    """How much regret the payments have saved."""
    paying, free = run_of(desk, 0), run_of(desk, 1)
    regret, other = float(paying.regrets.sum()), float(free.regrets.sum())
    compensation = float(paying.payments.sum())
    return {
        "answer": other - regret,
        "regret": regret,
        "other": other,
        "compensation": compensation,
        "net": other - regret - compensation,
        "backwards": regret - other,
    }


def worth_it(desk: Desk) -> Facts:
    """How much regret one unit of payment saved; and from which customer on the payments pay."""
    paying, free = run_of(desk, 0), run_of(desk, 1)
    cost = np.cumsum(paying.regrets + paying.payments)
    behind = np.flatnonzero(cost > np.cumsum(free.regrets))
    facts = saved(desk)
    return {
        **facts,
        "answer": facts["answer"] / facts["compensation"],
        "upside_down": facts["compensation"] / facts["answer"],
        "other_per_paid": facts["other"] / facts["compensation"],
        "even": int(behind[-1]) + 2 if len(behind) else 1,
        "best": true_means(desk)[0],
    }


LESSON = Lesson(
    number=2,
    title="What compensation buys",
    opening=(
        "You will see the market of lesson 1 again, the same arms with the same tapes of rewards, "
        "and now a controller who offers money for arms that look bad. You will see what she pays, "
        "and what she gets for it."
    ),
    steps=(
        Step(
            title="The least offer",
            text=(
                "Customer {customer} sees a record of {record0:.2f} for arm 0 and {record1:.2f} "
                "for arm 1. An offer is added to a record: she takes the arm whose record and "
                "offer are highest together, and the promoted one if she does not care. Nothing is "
                "offered yet."
            ),
            desk=FREE,
            question=NumberQuestion(
                "What is the least offer for arm 0 that makes her take it?",
                "Record of arm 0 plus offer must reach the record of arm 1.",
                (
                    Slip(
                        "true_gap",
                        "That is the difference of the true means, which she does not "
                        "know. Use the records.",
                    ),
                    Slip("record0", "Without an offer she prefers arm 1."),
                ),
                tolerance=0.01,
            ),
            explanation=(
                "{record1:.2f} − {record0:.2f} = {answer:.2f}: the best record less the record of "
                "the arm. That is all the controller ever has to offer."
            ),
            find=least_offer,
        ),
        Step(
            title="The first payment",
            text=(
                "This controller uses UCB: she promotes an arm if its record is high, or if so few "
                "have tried it that it may be better than it looks. Press “Next payment”."
            ),
            desk=FREE,
            question=NumberQuestion(
                "What is the number of the first customer who is paid?",
                "Press “Next payment” and read what the last customer did.",
                (
                    Slip("before", "One more: look at the customer who has just left."),
                    Slip(
                        "second",
                        "That is the second payment. Press “Undo” until nobody "
                        "has been paid, and try again.",
                    ),
                ),
                tolerance=0.0,
                places=0,
            ),
            explanation=(
                "Customer {answer} is paid {payment:.2f} for arm {arm}, exactly the gap between "
                "the records {record1:.2f} and {record0:.2f} that she saw. Her report is what the "
                "controller buys."
            ),
            find=first_payment,
            buttons=True,
            totals=True,
        ),
        Step(
            title="Where it leads",
            text=(
                "Now both markets side by side after all {customers} customers: on the left UCB, "
                "who made {paid} payments, on the right greedy, who made none. The tapes of the "
                "arms are the same."
            ),
            desk=BOTH,
            question=ChoiceQuestion(
                "How many of the last hundred customers of UCB take the best arm, arm 0?",
                "Compare the pulls of arm 0 on the left and on the right.",
                (Slip("few", "Look at the pulls of arm 0 on the left."),),
                options={"most": "more than half of them", "few": "fewer than half of them"},
            ),
            explanation=(
                "{last} of the last hundred on the left, {other} on the right. The payments have "
                "brought reports, the reports a true record, and now customers go by themselves."
            ),
            find=share_of_the_best,
        ),
        Step(
            title="What was saved",
            text="The same two markets, now with their accounts.",
            desk=BOTH,
            question=NumberQuestion(
                "How much less regret does the market on the left have?",
                "Read the two regrets and subtract.",
                (
                    Slip("net", "You have taken the payments off as well. Regret alone, first."),
                    Slip("backwards", "The right number with the wrong sign: how much less?"),
                    Slip("compensation", "That is what was paid, not what was saved."),
                ),
                tolerance=0.1,
                places=1,
            ),
            explanation=(
                "{other:.1f} − {regret:.1f} = {answer:.1f}, for {compensation:.1f} in payments."
            ),
            find=saved,
            totals=True,
        ),
        Step(
            title="Was it worth it?",
            text=(
                "Regret is what customers lose, compensation what the controller pays. She saved "
                "customers the difference of the two regrets, and paid the compensation for it."
            ),
            desk=BOTH,
            question=NumberQuestion(
                "How much regret was saved for each unit of compensation?",
                "Divide what was saved by what was paid.",
                (
                    Slip("upside_down", "The other way round: saved regret divided by payments."),
                    Slip(
                        "other_per_paid", "Not all of greedy's regret was saved: UCB has some too."
                    ),
                ),
                tolerance=0.1,
                places=1,
            ),
            explanation=(
                "About {answer:.1f}. At the start payments are a loss; in this market the left "
                "side's regret and payments together are below the right side's regret from "
                "customer {even} on, and the difference goes on growing."
            ),
            find=worth_it,
            totals=True,
        ),
    ),
    takeaway=(
        "Compensation buys reports on arms that look bad; a few of them keep customers from "
        "following a wrong record for ever."
    ),
    reading=(
        "docs/theory/ucb.md",
        "scenarios/figure1.toml",
        "docs/notebooks/2-three-policies.ipynb",
    ),
)
