"""Lesson 6: customers who choose at random refuse offers, and explore unpaid."""

from __future__ import annotations

import math
from dataclasses import replace

from kcmab_abm.lab.model.lessons import lesson_1_lock_in
from kcmab_abm.lab.model.lessons.lesson import Facts, Scene, read_lesson
from kcmab_abm.lab.model.lessons.market_facts import (
    bernoulli_market,
    next_customer,
    run_of,
    snapshot_at,
)
from kcmab_abm.lab.model.market_setup import Setup

TAU = 0.1
WANTED = 0.9  # the share of offers that should be accepted

MARKET = bernoulli_market(
    "Noisy customers",
    [0.8, 0.5],
    ["ucb", "greedy"],
    seed=lesson_1_lock_in.SEED,  # customer 5 refuses; customer 12 explores without being paid
    horizon=300,
    customers={"behaviour": "logit", "tau": TAU},
)
OFFERED = Setup(MARKET, shown=4)
UNPAID = Setup(MARKET, left=1, shown=11)


def offer_to_her(setup: Setup) -> Facts:
    """The probability that the next customer takes arm 0, and the outcome of all offers."""
    run, snapshot = run_of(setup), snapshot_at(setup)
    worth = [float(m + c) / TAU for m, c in zip(snapshot.means, snapshot.offers, strict=True)]
    weights = [math.exp(each - max(worth)) for each in worth]
    chance = weights[0] / math.fsum(weights)
    offered = run.offers > 0.0
    return {
        **next_customer(setup),
        "tau": TAU,
        "chance": chance,
        "asked": 1.0 / chance,
        "one": 1.0,
        "half": 0.5,
        "offers": int(offered.sum()),
        "refused": int((offered & (run.arms != run.targets)).sum()),
    }


def margin(setup: Setup) -> Facts:
    """The margin that makes nine customers out of ten accept, and what it costs."""
    odds = WANTED / (1.0 - WANTED)
    lead, more = float(next_customer(setup)["lead"]), TAU * math.log(odds)
    purse = {"offer": {"rule": "fixed-margin", "margin": more}}
    least = run_of(setup)
    dear = run_of(replace(setup, scenario=setup.scenario.replace(purse=purse)))
    return {
        "customer": setup.shown + 1,
        "customers": len(least),
        "tau": TAU,
        "wanted": WANTED,
        "odds": odds,
        "margin": more,
        "decimal": TAU * math.log10(odds),
        "proportional": TAU * WANTED,
        "at_tau": 1.0 / (1.0 + math.exp(-1.0)),
        "lead": lead,
        "price": lead + more,
        "times_share": WANTED * (lead + more),
        "least_paid": float(least.payments.sum()),
        "least_count": int((least.payments > 0.0).sum()),
        "dear_paid": float(dear.payments.sum()),
        "dear_count": int((dear.payments > 0.0).sum()),
    }


def unpaid_trial(setup: Setup) -> Facts:
    """The probability of trying the arm that nobody takes, and the outcome."""
    run = run_of(setup)
    return {
        **offer_to_her(setup),
        "chosen": setup.shown - 2,
        "customers": len(run),
        "on_best": int((run.arms == 0).sum()),
        "greedy_on_best": int((run_of(lesson_1_lock_in.START).arms == 0).sum()),
    }


LESSON = read_lesson(
    __file__,
    Scene(OFFERED, offer_to_her),
    Scene(OFFERED, offer_to_her),
    Scene(OFFERED, offer_to_her),
    Scene(OFFERED, margin),
    Scene(OFFERED, margin),
    Scene(UNPAID, unpaid_trial),
)
