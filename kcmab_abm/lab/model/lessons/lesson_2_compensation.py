"""Lesson 2: the same bad start, and a controller who pays customers to look again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kcmab_abm.lab.model.lessons import lesson_1_lock_in
from kcmab_abm.lab.model.lessons.lesson import Facts, Scene, read_lesson
from kcmab_abm.lab.model.lessons.market_facts import (
    bernoulli_market,
    next_customer,
    run_of,
    totals,
)
from kcmab_abm.lab.model.market_setup import Setup

SEED = lesson_1_lock_in.SEED
MARKET = bernoulli_market("Somebody pays", [0.8, 0.5], ["ucb", "greedy"], seed=SEED, horizon=300)
FREE = Setup(MARKET, shown=3)  # customer 4 is offered nothing yet
BOTH = Setup(MARKET, right=1, shown=MARKET.horizon, revealed=True)


def first_payment(setup: Setup) -> Facts:
    """The first customer who is paid."""
    first, second = (int(place) for place in np.flatnonzero(run_of(setup).payments > 0.0)[:2])
    return {**next_customer(replace(setup, shown=first)), "second": second + 1}


def share_of_the_best(setup: Setup) -> Facts:
    """The number of the last hundred customers who take the best arm."""
    last, other = (int((run_of(setup, side).arms[-100:] == 0).sum()) for side in (0, 1))
    return {**totals(setup), "answer": "most" if last > 50 else "few", "last": last, "other": other}


def saved(setup: Setup) -> Facts:
    """The regret saved by the payments, and the customer from whom on they are worth it."""
    facts = totals(setup)
    paid, regret = facts["left_paid"], facts["right_regret"] - facts["left_regret"]
    paying, free = run_of(setup, 0), run_of(setup, 1)
    cost = np.cumsum(paying.regrets + paying.payments)
    behind = np.flatnonzero(cost > np.cumsum(free.regrets))
    return {
        **facts,
        "saved": regret,
        "net": regret - paid,
        "backwards": -regret,
        "per_unit": regret / paid,
        "upside_down": paid / regret,
        "other_per_paid": facts["right_regret"] / paid,
        "even": int(behind[-1]) + 2 if len(behind) else 1,
    }


LESSON = read_lesson(
    __file__,
    Scene(FREE, next_customer),
    Scene(FREE, first_payment),
    Scene(BOTH, share_of_the_best),
    Scene(BOTH, saved),
    Scene(BOTH, saved),
)
