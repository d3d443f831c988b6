"""Lesson 4: two ways to decide which arm is worth a payment."""

from __future__ import annotations

import math

from kcmab_abm.lab.model.lessons.lesson import Facts, Scene, read_lesson
from kcmab_abm.lab.model.lessons.market_facts import (
    RUNS,
    averages,
    bernoulli_market,
    run_of,
    snapshot_at,
    totals,
)
from kcmab_abm.lab.model.market_setup import Setup
from kcmab_abm.running.experiment import play

SEED = 3  # the best arm's first reward is 0; at customer 9 UCB pays for an arm that is behind

MARKET = bernoulli_market(
    "UCB against Thompson", [0.8, 0.6, 0.4], ["ucb", "ts"], seed=SEED, horizon=500
)
SEEDED = Setup(MARKET, right=1, shown=3)
BOTH = Setup(MARKET, right=1, shown=MARKET.horizon, revealed=True)


def bound(setup: Setup) -> Facts:
    """The upper confidence bound of the promoted arm."""
    snapshot, customer = snapshot_at(setup), setup.shown + 1
    arm = snapshot.target
    record, pulls = float(snapshot.means[arm]), int(snapshot.pulls[arm])
    bounds = [
        float(mean) + math.sqrt(2.0 * math.log(customer) / int(count))
        for mean, count in zip(snapshot.means, snapshot.pulls, strict=True)
    ]
    return {
        "answer": bounds[arm],
        "arm": arm,
        "customer": customer,
        "record": record,
        "pulls": pulls,
        "bonus": bounds[arm] - record,
        "rootless": record + 2.0 * math.log(customer) / pulls,
        "others": " and ".join(f"{b:.2f}" for each, b in enumerate(bounds) if each != arm),
        "offer": float(snapshot.offers[arm]),
    }


def posterior(setup: Setup) -> Facts:
    """The mean of Thompson's samples for arm 0."""
    snapshot = snapshot_at(setup)
    pulls, record = int(snapshot.pulls[0]), float(snapshot.means[0])
    ones = round(pulls * record)
    return {
        "answer": (ones + 1) / (pulls + 2),
        "ones": ones,
        "alpha": ones + 1,
        "beta": pulls - ones + 1,
        "alpha_beta": pulls + 2,
        "pulls": pulls,
        "record": record,
    }


def same_board(setup: Setup) -> Facts:
    """The records that customer 4 sees in both markets, and the leading arm."""
    records = [float(mean) for mean in snapshot_at(setup).means]
    return {
        "customer": setup.shown + 1,
        "records": ", ".join(f"{record:.0f}" for record in records),
        "leader": records.index(max(records)),
    }


def who_is_certain(setup: Setup) -> Facts:
    """The arms promoted to customer 4 in markets with the same first rewards."""
    short = setup.scenario.replace(horizon=setup.shown + 1)
    seen = run_of(setup).rewards[: setup.shown].tolist()
    promoted: dict[str, list[int]] = {"ucb": [], "ts": []}
    for replication in range(RUNS):
        sampled = play(short, "ts", replication, engine="market")
        if sampled.rewards[: setup.shown].tolist() == seen:
            computed = play(short, "ucb", replication, engine="market")
            promoted["ts"].append(int(sampled.targets[-1]))
            promoted["ucb"].append(int(computed.targets[-1]))
    unsure = [label for label, targets in promoted.items() if len(set(targets)) > 1]
    return {
        "answer": {0: "neither", 1: "".join(unsure), 2: "both"}[len(unsure)],
        "same": len(promoted["ts"]),
        "leading": promoted["ts"].count(same_board(setup)["leader"]),
    }


def ratio_of_payments(setup: Setup) -> Facts:
    """The ratio of the payments on the left to those on the right."""
    facts = totals(setup)
    left, right = facts["left_paid"], facts["right_paid"]
    return {
        **facts,
        "answer": left / right,
        "upside_down": right / left,
        "regrets": facts["left_regret"] / facts["right_regret"],
        "difference": left - right,
    }


def size(setup: Setup) -> Facts:
    """The number of markets in the survey, and of customers in each."""
    return {"runs": RUNS, "customers": setup.scenario.horizon}


def on_average(setup: Setup) -> Facts:
    """The controllers with less regret and with lower payments over many markets."""
    facts = averages(setup)
    less = {
        "ucb" if facts[f"left_mean_{word}"] < facts[f"right_mean_{word}"] else "ts"
        for word in ("regret", "paid")
    }
    return {**facts, "answer": less.pop() if len(less) == 1 else "split"}


LESSON = read_lesson(
    __file__,
    Scene(Setup(MARKET, left=0, shown=8), bound),
    Scene(Setup(MARKET, left=1, shown=8), posterior),
    Scene(SEEDED, same_board, who_is_certain),
    Scene(BOTH, ratio_of_payments),
    Scene(BOTH, size, on_average),
)
