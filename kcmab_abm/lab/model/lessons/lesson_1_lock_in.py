"""Lesson 1: one unlucky customer, and nobody ever tries the best arm again."""

from __future__ import annotations

from dataclasses import replace

from kcmab_abm.lab.model.lessons.lesson import Facts, Scene, read_lesson
from kcmab_abm.lab.model.lessons.market_facts import (
    bernoulli_market,
    next_customer,
    run_of,
    true_means,
)
from kcmab_abm.lab.model.market_setup import Setup
from kcmab_abm.running.experiment import simulate

SEED = 6  # the best arm's first reward is 0, the other's is 1, and greedy never returns
RUNS = 1000

MARKET = bernoulli_market("Nobody pays", [0.8, 0.5], ["greedy"], seed=SEED, horizon=300)
START = Setup(MARKET, shown=2)
REVEALED = replace(START, revealed=True)


def whole_run(setup: Setup) -> Facts:
    """The choices of all customers, and their total loss."""
    run, means = run_of(setup), true_means(setup)
    return {
        **means,
        "customers": len(run),
        "half": len(run) / 2,
        "none": 0,
        "on_best": int((run.arms == 0).sum()),
        "wrong": int((run.arms == 1).sum()),
        "record1": float(run.rewards[run.arms == 1].mean()),
        "regret": float(run.regrets.sum()),
        "all_wrong": len(run) * means["gap"],
        "chosen_only": (len(run) - 2) * means["gap"],
    }


def chance(setup: Setup) -> Facts:
    """The probability of these first two rewards."""
    means = true_means(setup)
    best, worse = means["best"], means["worse"]
    return {
        **means,
        "answer": (1.0 - best) * worse,
        "only_best": 1.0 - best,
        "lucky": best * worse,
    }


def locked_in(setup: Setup) -> Facts:
    """The share of runs that end on the wrong arm."""
    table = simulate(setup.scenario.replace(replications=RUNS)).summary()
    return {"runs": RUNS, "locked": float(table["locked_in"][0])}


LESSON = read_lesson(
    __file__,
    Scene(START, next_customer),
    Scene(START, whole_run),
    Scene(REVEALED, next_customer),
    Scene(replace(REVEALED, shown=MARKET.horizon), whole_run),
    Scene(REVEALED, chance, locked_in),
)
