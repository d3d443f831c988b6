"""Lesson 3: regret is measured with true means, compensation with records."""

from __future__ import annotations

import math
from dataclasses import replace

from scipy.stats import binom

from kcmab_abm.lab.model.lessons.lesson import Facts, Scene, read_lesson
from kcmab_abm.lab.model.lessons.market_facts import (
    bernoulli_market,
    best_and_worse,
    next_customer,
)
from kcmab_abm.lab.model.market_setup import Setup

BEFORE, TRUE = [0.1, 0.9], [0.9, 0.1]
OBSERVATIONS = 20
REPORTS = OBSERVATIONS // 2  # on each arm
SEED = 21  # one 1 in ten reports on arm 0, nine on arm 1; then the left controller pays nothing

MARKET = bernoulli_market(
    "0.9 and 0.1",
    BEFORE,
    ["modified-epsilon-greedy", "round-robin"],
    seed=SEED,
    horizon=40,
    change={"kind": "piecewise", "at": [OBSERVATIONS + 1], "means": [TRUE]},
)
FREE = Setup(MARKET, left=0, shown=OBSERVATIONS)
PAID = replace(FREE, left=1)


def customer_21(setup: Setup) -> Facts:
    """The choice, regret and payment of customer 21, and the probability of such records."""
    facts = next_customer(setup)
    ones = round(REPORTS * facts["record0"])
    unlucky = float(binom.pmf(ones, REPORTS, TRUE[0]) * binom.pmf(REPORTS - ones, REPORTS, TRUE[1]))
    return {
        **facts,
        **best_and_worse(TRUE),
        "reports": REPORTS,
        "power": round(-math.log10(unlucky)),
    }


LESSON = read_lesson(
    __file__,
    Scene(FREE, customer_21),
    Scene(FREE, customer_21),
    Scene(FREE, customer_21),
    Scene(PAID, customer_21),
    Scene(PAID, customer_21),
    Scene(FREE, customer_21),
)
