"""The rewindable market compared with `play`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kcmab_abm as kcmab
from kcmab_abm.lab.model.rewindable_market import RewindableMarket
from tests.markets import POLICY_NAMES, assert_same, experiments

DELAYS = st.sampled_from([0.0, 0.7, {"law": "exponential", "mean": 2.0}])
LINES = st.sampled_from(
    [
        {},
        {"capacity": 1},
        {"capacity": 2, "when_full": "switch"},
        {"capacity": 1, "when_full": "leave"},
        {"capacity": 1, "patience": {"law": "exponential", "mean": 1.0}},
    ]
)


@st.composite
def scenarios(draw, in_turn=False):
    """Any market with one policy, including those in which customers overlap in time."""
    told = draw(experiments([draw(st.sampled_from(POLICY_NAMES))]))
    if in_turn:
        return kcmab.make_scenario(told)
    lines = draw(LINES)
    rough = {"report_delay": draw(DELAYS), "service_time": 1.5 if lines else draw(DELAYS), **lines}
    return kcmab.make_scenario({**told, "market": told["market"] | rough})


def played(scenario):
    """A market played to its end."""
    market = RewindableMarket(scenario, scenario.policies[0])
    while not market.is_over:
        market.forward()
    return market


def view(market):
    """Everything that the page shows of a market."""
    return market.arms(), market.totals, market.sees(), market.did(), market.curve(), market.clock


@settings(max_examples=25, deadline=None)
@given(scenario=scenarios())
def test_a_show_is_the_market_itself(scenario):
    """Played to its end, a market has the ledger and totals of `play`, to the last bit."""
    market = played(scenario)
    run = kcmab.play(scenario, engine="market")
    assert_same(market.live.ledger, run)
    assert market.totals.paid == np.count_nonzero(run.payments > 0)
    assert market.totals.left == np.count_nonzero(run.arms < 0)
    assert market.totals.regret == pytest.approx(run.regrets.sum(), rel=1e-12, abs=1e-12)
    assert market.totals.compensation == pytest.approx(run.payments.sum(), rel=1e-12, abs=1e-12)
    for arm in range(len(scenario.market.arms)):
        assert sorted(market.tape(arm)) == sorted(run.rewards[run.arms == arm])


@settings(max_examples=12, deadline=None)
@given(scenario=scenarios(in_turn=True))
def test_customers_in_turn_add_up_one_by_one(scenario):
    """If nothing takes time, the totals after n customers are sums over n customers."""
    market = RewindableMarket(scenario, scenario.policies[0])
    run = kcmab.play(scenario, engine="market")
    regret = paid = 0.0
    for line in range(scenario.horizon):
        market.forward()
        regret += run.regrets[line]
        paid += run.payments[line]
        assert (market.totals.regret, market.totals.compensation) == (regret, paid)
        assert market.last.number == line + 1


@settings(max_examples=12, deadline=None)
@given(scenario=scenarios(), steps=st.integers(0, 30))
def test_going_back_shows_the_very_same(scenario, steps):
    """Undoing and repeating steps shows the same as before."""
    market = RewindableMarket(scenario, scenario.policies[0])
    views = [view(market)]
    for _ in range(min(steps, scenario.horizon)):
        market.forward()
        views.append(view(market))
    for before in reversed(views[:-1]):
        market.back()
        assert repr(view(market)) == repr(before)
    market.back()
    assert market.shown == 0
    for after in views[1:]:
        market.forward()
        assert repr(view(market)) == repr(after)


def test_a_curve_is_thinned_and_keeps_its_end():
    """A long curve has at most as many points as requested, including both ends."""
    scenario = kcmab.make_scenario(
        {
            "horizon": 500,
            "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
            "policy": [{"name": "ucb"}],
        }
    )
    market = played(scenario)
    curve = market.curve(100)
    assert len(curve) <= 100
    assert curve[0] == (0, 0.0, 0.0)
    assert curve[-1] == (500, market.totals.regret, market.totals.compensation)


def test_true_means_follow_arms_that_change():
    """If arms change, the means shown are those that the last customer found."""
    scenario = kcmab.make_scenario(
        {
            "horizon": 10,
            "market": {
                "arms": {"law": "bernoulli", "means": [0.9, 0.1]},
                "change": {"kind": "piecewise", "at": [6], "means": [[0.2, 0.7]]},
            },
            "policy": [{"name": "ucb"}],
        }
    )
    market = RewindableMarket(scenario, scenario.policies[0])
    assert market.true_means() == [0.9, 0.1]
    for _ in range(6):
        market.forward()
    assert market.true_means() == [0.2, 0.7]
    market.back()
    assert market.true_means() == [0.9, 0.1]
