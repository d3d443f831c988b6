"""The simulated market agrees with the exact values of all policies that have one."""

from __future__ import annotations

import pytest

from kcmab_abm import make_scenario, simulate
from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.theory import optimum, policy_value
from kcmab_abm.theory.exact_policies import why_no_exact_value

DRAWS = {"rb-sda"}  # found by asking it
EXACT = [
    name for name in POLICIES.own_names() if not why_no_exact_value(name) and name not in DRAWS
]
UNIFORM = {"law": "bernoulli", "count": 2, "means": {"prior": "uniform"}}
GRACE = 4.5  # standard errors: 7e-6 false alarms for each comparison


def simulated(horizon, replications, policies, seed=16):
    """The summary of policies on random markets, by label."""
    settings = {"horizon": horizon, "replications": replications, "seed": seed}
    scenario = make_scenario({**settings, "market": {"arms": UNIFORM}, "policy": policies})
    return simulate(scenario, engine="batch", jobs=1).summary().set_index("policy")


def assert_agrees(row, regret, compensation):
    """Both means lie within 4.5 standard errors of the exact values."""
    assert abs(row["regret"] - regret) <= GRACE * row["regret_se"]
    assert abs(row["compensation"] - compensation) <= GRACE * row["compensation_se"] + 1e-9


@pytest.mark.slow
def test_every_policy_with_an_exact_value_reaches_it():
    """T = 60, uniform priors, 10,000 random markets: a false alarm once in 5,000 such tests."""
    table = simulated(60, 10_000, [{"name": name} for name in EXACT])
    for name in EXACT:
        assert_agrees(table.loc[name], *policy_value(name, 60))


@pytest.mark.slow
@pytest.mark.parametrize("price", [0.0, 1.0, 10.0])
def test_optimal_reaches_the_value_of_its_table(price):
    """T = 100, uniform priors, 50,000 random markets."""
    row = simulated(100, 50_000, [{"name": "optimal", "price": price}]).loc["optimal"]
    best = optimum(100, price)
    assert_agrees(row, best.regret, best.compensation)


def test_optimal_in_the_market_by_default():
    """The same at a smaller scale."""
    row = simulated(30, 20_000, [{"name": "optimal"}]).loc["optimal"]
    best = optimum(30)
    assert_agrees(row, best.regret, best.compensation)
