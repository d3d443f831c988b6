"""Lesson 6: customers who choose by chance refuse offers, and explore unpaid."""

from __future__ import annotations

import math
from dataclasses import replace

from kcmab_abm.lab.desk import Desk
from kcmab_abm.lab.lessons import lock_in
from kcmab_abm.lab.lessons.lesson import Facts, Lesson, NumberQuestion, Slip, Step
from kcmab_abm.lab.lessons.scene import run_of, sight_at, world

TAU = 0.1
WANTED = 0.9  # of the offers are to be taken
CUSTOMERS = {"behaviour": "logit", "tau": TAU}

MARKET = world(
    "Noisy customers",
    [0.8, 0.5],
    ["ucb", "greedy"],
    seed=lock_in.SEED,  # customer 5 refuses; unpaid, customer 12 tries the arm that nobody took
    horizon=300,
    customers=CUSTOMERS,
)
OFFERED = Desk(MARKET, shown=4)
UNPAID = Desk(MARKET, left=1, shown=11)


def chance_of(desk: Desk, arm: int) -> float:
    """How likely the customer before the board takes an arm."""
    sight = sight_at(desk)
    worth = [float(m + c) / TAU for m, c in zip(sight.means, sight.offers, strict=True)]
    weights = [math.exp(each - max(worth)) for each in worth]
    return weights[arm] / math.fsum(weights)


def acceptance(desk: Desk) -> Facts:
    """How likely the offer is taken."""
    sight = sight_at(desk)
    return {
        "answer": chance_of(desk, sight.target),
        "tau": TAU,
        "customer": desk.shown + 1,
        "arm": sight.target,
        "offer": float(sight.offers[sight.target]),
        "record0": float(sight.means[0]),
        "record1": float(sight.means[1]),
        "certain": 1.0,
        "never": 0.0,
    }


def refusal(desk: Desk) -> Facts:
    """What a customer is paid who refuses."""
    run, place = run_of(desk), desk.shown
    offered = run.offers > 0.0
    return {
        "answer": float(run.payments[place]),
        "offer": float(run.offers[place]),
        "arm": int(run.arms[place]),
        "target": int(run.targets[place]),
        "customer": place + 1,
        "offers": int(offered.sum()),
        "refused": int((offered & (run.arms != run.targets)).sum()),
    }


def asked(desk: Desk) -> Facts:
    """How many customers must be asked on average until one takes the least offer."""
    share = chance_of(desk, sight_at(desk).target)
    return {"answer": 1.0 / share, "share": share, "one": 1.0}


def margin(desk: Desk) -> Facts:
    """Which margin makes nine customers in ten accept."""
    odds = WANTED / (1.0 - WANTED)
    return {
        "answer": TAU * math.log(odds),
        "tau": TAU,
        "wanted": WANTED,
        "decimal": TAU * math.log10(odds),
        "share": WANTED,
        "proportional": TAU * WANTED,
        "odds": odds,
        "at_tau": 1.0 / (1.0 + math.exp(-1.0)),
    }


def bill_with_margin(desk: Desk) -> Facts:
    """What one accepted visit costs on average, with the least offer and with the margin."""
    sight, more = sight_at(desk), float(margin(desk)["answer"])
    gap = float(sight.means.max() - sight.means[sight.target])
    purse = {"offer": {"rule": "fixed-margin", "margin": more}}
    dear = run_of(replace(desk, scenario=desk.scenario.replace(purse=purse)))
    least = run_of(desk)
    return {
        "answer": gap + more,
        "gap": gap,
        "margin": more,
        "times_share": WANTED * (gap + more),
        "least_paid": float(least.payments.sum()),
        "least_count": int((least.payments > 0.0).sum()),
        "dear_paid": float(dear.payments.sum()),
        "dear_count": int((dear.payments > 0.0).sum()),
        "customers": len(least),
        "customer": desk.shown + 1,
    }


def unpaid_trial(desk: Desk) -> Facts:
    """How likely she tries the arm that nobody takes; and what came of it."""
    sight, run = sight_at(desk), run_of(desk)
    return {
        "answer": chance_of(desk, 0),
        "record0": float(sight.means[0]),
        "record1": float(sight.means[1]),
        "tau": TAU,
        "arm": int(run.arms[desk.shown]),
        "earned": int(run.rewards[desk.shown]),
        "customer": desk.shown + 1,
        "before": desk.shown - 2,
        "on_best": int((run.arms == 0).sum()),
        "customers": len(run),
        "greedy_on_best": int((run_of(lock_in.START).arms == 0).sum()),
        "half": 0.5,
        "never": 0.0,
    }


LESSON = Lesson(
    number=6,
    title="Noisy customers refuse",
    opening=(
        "You will see customers who do not always take the better deal. They refuse offers that "
        "others would accept, margins win them over at a price, and sometimes they do for nothing "
        "what others would have to be paid for."
    ),
    steps=(
        Step(
            title="A toss",
            text=(
                "A logit customer takes arm i with a probability proportional to "
                "exp((m + c) / τ): m is its record, c the offer for it, and τ = {tau} says how "
                "noisy she is. Customer {customer} sees records of {record0:.2f} and "
                "{record1:.2f}, and the least offer, {offer:.2f}, for arm {arm}."
            ),
            desk=OFFERED,
            question=NumberQuestion(
                "How likely does she accept?",
                "Add the offer to the record of arm {arm} and compare with the other arm.",
                (
                    Slip(
                        "certain",
                        "A greedy customer would. For this one both arms are worth the same now.",
                    ),
                    Slip("never", "The offer makes up for the bad record, exactly."),
                ),
            ),
            explanation=(
                "{answer:.2f}: record and offer together are {record1:.2f} for both arms, so she "
                "tosses a coin. That is so for every least offer with two arms, however small τ is."
            ),
            find=acceptance,
        ),
        Step(
            title="A refusal",
            text="Press “One customer”: customer {customer} refuses, and takes arm {arm}.",
            desk=OFFERED,
            question=NumberQuestion(
                "What is she paid?",
                "An offer is a price for taking arm {target}. Did she take it?",
                (Slip("offer", "That was offered for arm {target}. She took arm {arm}."),),
            ),
            explanation=(
                "Nothing: only who takes the promoted arm is paid. In this market {refused} of "
                "{offers} offers are refused. That costs no money, but no report comes back either."
            ),
            find=refusal,
            buttons=True,
            totals=True,
        ),
        Step(
            title="Asking again",
            text="Each customer accepts the least offer with probability {share:.1f}.",
            desk=OFFERED,
            question=NumberQuestion(
                "How many customers have to be asked on average until one accepts?",
                "Tosses until the first success: one divided by the probability.",
                (
                    Slip("one", "That would do if everybody accepted."),
                    Slip("share", "That is the probability itself. Take its inverse."),
                ),
                tolerance=0.05,
                places=0,
            ),
            explanation=(
                "1 / {share:.1f} = {answer:.0f}. Exploration takes twice as many customers, but "
                "one visit costs no more than before."
            ),
            find=asked,
        ),
        Step(
            title="A margin",
            text=(
                "The controller may offer a margin d above the least offer. With two arms a "
                "customer then accepts with probability 1 / (1 + exp(−d / τ)); a margin of τ = "
                "{tau}, for example, makes that {at_tau:.2f}."
            ),
            desk=OFFERED,
            question=NumberQuestion(
                "Which margin makes {wanted:.0%} of the customers accept?",
                "Solve 1 / (1 + exp(−d / τ)) = {wanted}: d = τ ln({wanted} / (1 − {wanted})).",
                (
                    Slip("share", "That is the share that shall accept. Solve for d."),
                    Slip("decimal", "You have used the decimal logarithm; ln is the natural one."),
                    Slip("proportional", "The probability is not proportional to the margin."),
                ),
            ),
            explanation="{tau} × ln({odds:.0f}) = {answer:.2f}.",
            find=margin,
        ),
        Step(
            title="What the margin costs",
            text=(
                "The least offer for customer {customer} was {gap:.2f}. Now the controller adds "
                "the margin of {margin:.2f} to every offer."
            ),
            desk=OFFERED,
            question=NumberQuestion(
                "What does customer {customer} get then, if she accepts?",
                "Least offer plus margin.",
                (
                    Slip("gap", "That is the least offer without the margin."),
                    Slip("margin", "That is the margin alone."),
                    Slip(
                        "times_share",
                        "You have multiplied by the probability; but she has accepted.",
                    ),
                ),
                tolerance=0.01,
            ),
            explanation=(
                "{gap:.2f} + {margin:.2f} = {answer:.2f}. On the tapes of this market, over "
                "{customers} customers, least offers pay {least_count} customers {least_paid:.1f} "
                "in total; with the margin {dear_count} customers get {dear_paid:.1f}. A margin "
                "buys quick reports, not cheap ones."
            ),
            find=bill_with_margin,
        ),
        Step(
            title="Noise explores",
            text=(
                "Now the world of lesson 1: nobody pays, arm 0 had a bad start, and all {before} "
                "customers since then have taken arm 1. Customer {customer} sees records of "
                "{record0:.2f} and {record1:.2f}. A greedy customer would never take arm 0."
            ),
            desk=UNPAID,
            question=NumberQuestion(
                "How likely does this one take arm 0?",
                "1 / (1 + exp(d / τ)) with d = {record1:.2f} − {record0:.2f} and τ = {tau}.",
                (
                    Slip("never", "A greedy customer never would. This one may: compute it."),
                    Slip("half", "That is for arms that are worth the same. Arm 1 is ahead."),
                ),
            ),
            explanation=(
                "{answer:.2f}: sooner or later somebody does. Press “One customer”: this one takes "
                "arm {arm} and earns {earned}. In the end {on_best} of {customers} customers are "
                "on arm 0, the best one, and nobody was paid; with the greedy customers of "
                "lesson 1 it was {greedy_on_best}."
            ),
            find=unpaid_trial,
            buttons=True,
        ),
    ),
    takeaway=(
        "Noisy customers take a least offer only now and then, margins buy their consent at a "
        "price, and their noise explores a little for nothing."
    ),
    reading=(
        "docs/behaviours.md",
        "scenarios/price-of-noise.toml",
        "docs/notebooks/3-design-your-customers.ipynb",
    ),
)
