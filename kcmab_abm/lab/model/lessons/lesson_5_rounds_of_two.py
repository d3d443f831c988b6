"""Lesson 5: modified Thompson sampling serves customers in rounds of two."""

from __future__ import annotations

from kcmab_abm.lab.model.lessons.lesson import Facts, Scene, read_lesson
from kcmab_abm.lab.model.lessons.market_facts import (
    averages,
    bernoulli_market,
    run_of,
    snapshot_at,
    totals,
)
from kcmab_abm.lab.model.market_setup import Setup

SEED = 10  # one round in which the price rises before it is paid, and the next in which it vanishes

MARKET = bernoulli_market(
    "Rounds of two", [0.7, 0.5, 0.3], ["modified-ts", "ts"], seed=SEED, horizon=500
)
DEARER = Setup(MARKET, shown=11)
FREE = Setup(MARKET, shown=13)
BOTH = Setup(MARKET, right=1, shown=MARKET.horizon, revealed=True)


def place_in_the_round(setup: Setup) -> Facts:
    """The next customer's place in her round."""
    arms, customer = len(setup.scenario.market.arms), setup.shown + 1
    return {
        "answer": "second" if (customer - arms) % 2 == 0 else "first",
        "arms": arms,
        "customer": customer,
        "start": arms + 1,
        "start_second": arms + 2,
        "after": customer - arms,
    }


def most_paid(setup: Setup) -> Facts:
    """The largest number of customers who can be paid, and the number who are."""
    customers, arms = setup.scenario.horizon, len(setup.scenario.market.arms)
    rest = customers - arms
    return {
        "answer": rest // 2,
        "rest": rest,
        "half": customers // 2,
        "rounded_up": rest - rest // 2,
        "customers": customers,
        "arms": arms,
        "paid": int((run_of(setup).payments > 0.0).sum()),
    }


def second_price(setup: Setup) -> Facts:
    """The payment of the round's second customer, and the price before the first one reports."""
    start, second, run = snapshot_at(setup), snapshot_at(setup, later=1), run_of(setup)
    first, arm = int(run.arms[setup.shown]), second.target
    return {
        "answer": float(run.payments[setup.shown + 1]),
        "too_early": float(start.means.max() - start.means[arm]),
        "arm": arm,
        "record": float(second.means[arm]),
        "first_arm": first,
        "earned": int(run.rewards[setup.shown]),
        "before": float(start.means[first]),
        "after": float(second.means[first]),
        "reports": int(start.pulls[first]),
        "customer": setup.shown + 1,
        "next": setup.shown + 2,
        "none": 0.0,
    }


def difference_of_payments(setup: Setup) -> Facts:
    """The difference between the payments of plain and modified Thompson sampling."""
    facts = totals(setup)
    answer = facts["right_paid"] - facts["left_paid"]
    regrets = facts["right_regret"] - facts["left_regret"]
    return {**facts, "answer": answer, "backwards": -answer, "regrets": regrets}


LESSON = read_lesson(
    __file__,
    Scene(DEARER, place_in_the_round),
    Scene(DEARER, most_paid),
    Scene(DEARER, second_price),
    Scene(FREE, second_price),
    Scene(BOTH, difference_of_payments, averages),
)
