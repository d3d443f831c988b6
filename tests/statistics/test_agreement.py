"""Engines and arm orders agree in distribution, on independent seeds."""

from __future__ import annotations

import math

import pytest

from kcmab_abm import make_scenario, simulate
from kcmab_abm.running.experiment import Results
from tests.markets import EACH_POLICY, PAIRS, default_customers

MEANS = [0.9, 0.6, 0.4, 0.3]
GRACE = 4.0  # standard errors of the difference: 6e-5 false alarms for each comparison


def market(policy: str, behaviour: str, order: list[int], seed: int, runs: int) -> dict:
    """The settings of a small market with its arms in some order."""
    return {
        "horizon": 150,
        "replications": runs,
        "seed": seed,
        "market": {
            "arms": {"law": "bernoulli", "means": [MEANS[arm] for arm in order]},
            "customers": default_customers(behaviour),
        },
        "policy": [{"name": policy}],
    }


def assert_close(first: Results, second: Results, allowance: float = 1e-12) -> None:
    """Mean regret and compensation differ by less than the grace, and an allowance."""
    one, two = first.summary().iloc[0], second.summary().iloc[0]
    for measure in ("regret", "compensation"):
        error = math.hypot(one[f"{measure}_se"], two[f"{measure}_se"])
        assert abs(one[measure] - two[measure]) <= GRACE * error + allowance


@pytest.mark.parametrize("policy", EACH_POLICY)
def test_market_and_batch_agree_on_independent_seeds(policy: str) -> None:
    """Mean regret and compensation of the two engines are within 4 standard errors."""
    runs = 40 if policy == "kl-ucb" else 120
    slow = simulate(
        make_scenario(market(policy, "greedy", [0, 1, 2, 3], seed=1, runs=runs)), engine="market"
    )
    fast = simulate(make_scenario(market(policy, "greedy", [0, 1, 2, 3], seed=2, runs=4000)))
    assert_close(slow, fast)


# Outcomes and utilities belong to the places of the arms, so that their order does matter.
INDIFFERENT = [pair for pair in PAIRS if pair[1] not in ("features", "informed")]


@pytest.mark.parametrize(("policy", "behaviour"), INDIFFERENT)
def test_the_order_of_the_arms_does_not_matter(policy: str, behaviour: str) -> None:
    """Permuting the arms changes no mean by more than 4 standard errors.

    A round robin that ends in the middle of a round has visited some arms once more than others,
    and which ones depends on their order: that is worth one largest gap at most.
    """
    sorted_arms = market(policy, behaviour, [0, 1, 2, 3], seed=3, runs=4000)
    shuffled = market(policy, behaviour, [2, 0, 3, 1], seed=4, runs=4000)
    takes_turns = policy in ("round-robin", "modified-epsilon-greedy")
    assert_close(
        simulate(make_scenario(sorted_arms)),
        simulate(make_scenario(shuffled)),
        allowance=MEANS[0] - MEANS[-1] if takes_turns else 1e-12,
    )
