"""One market on the page, against the market as it is simulated elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kcmab_abm as kcmab
from kcmab_abm.lab.show import Show
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
    """Any market with one policy, also one in which customers overlap in time."""
    told = draw(experiments([draw(st.sampled_from(POLICY_NAMES))]))
    if in_turn:
        return kcmab.make_scenario(told)
    lines = draw(LINES)
    rough = {"report_delay": draw(DELAYS), "service_time": 1.5 if lines else draw(DELAYS), **lines}
    return kcmab.make_scenario({**told, "market": told["market"] | rough})


def played(scenario):
    """A show of the whole market."""
    show = Show(scenario, scenario.policies[0])
    while not show.is_over:
        show.forward()
    return show


def view(show):
    """All that the page shows of a market."""
    return show.arms(), show.totals, show.sees(), show.did(), show.curve(), show.clock


@settings(max_examples=25, deadline=None)
@given(scenario=scenarios())
def test_a_show_is_the_market_itself(scenario):
    """Played forward to its end, a show has the ledger of `play` to the last bit, and its sums."""
    show = played(scenario)
    run = kcmab.play(scenario, engine="market")
    assert_same(show.market.ledger, run)
    assert show.totals.paid == np.count_nonzero(run.payments > 0)
    assert show.totals.left == np.count_nonzero(run.arms < 0)
    assert show.totals.regret == pytest.approx(run.regrets.sum(), rel=1e-12, abs=1e-12)
    assert show.totals.compensation == pytest.approx(run.payments.sum(), rel=1e-12, abs=1e-12)
    for arm in range(len(scenario.market.arms)):
        assert sorted(show.tape(arm)) == sorted(run.rewards[run.arms == arm])


@settings(max_examples=12, deadline=None)
@given(scenario=scenarios(in_turn=True))
def test_customers_in_turn_add_up_one_by_one(scenario):
    """Where nothing takes time, the totals after n customers are the sums of their n lines."""
    show = Show(scenario, scenario.policies[0])
    run = kcmab.play(scenario, engine="market")
    regret = paid = 0.0
    for line in range(scenario.horizon):
        show.forward()
        regret += run.regrets[line]
        paid += run.payments[line]
        assert (show.totals.regret, show.totals.compensation) == (regret, paid)
        assert show.last.number == line + 1


@settings(max_examples=12, deadline=None)
@given(scenario=scenarios(), steps=st.integers(0, 30))
def test_going_back_shows_the_very_same(scenario, steps):
    """Undoing steps shows what was shown before them, and stepping again what was shown after."""
    show = Show(scenario, scenario.policies[0])
    views = [view(show)]
    for _ in range(min(steps, scenario.horizon)):
        show.forward()
        views.append(view(show))
    for before in reversed(views[:-1]):
        show.back()
        assert repr(view(show)) == repr(before)
    show.back()
    assert show.shown == 0
    for after in views[1:]:
        show.forward()
        assert repr(view(show)) == repr(after)


def test_a_curve_is_thinned_and_keeps_its_end():
    """A long curve has no more points than asked for, the first and the last among them."""
    scenario = kcmab.make_scenario(
        {
            "horizon": 500,
            "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
            "policy": [{"name": "ucb"}],
        }
    )
    show = played(scenario)
    curve = show.curve(100)
    assert len(curve) <= 100
    assert curve[0] == (0, 0.0, 0.0)
    assert curve[-1] == (500, show.totals.regret, show.totals.compensation)


def test_true_means_follow_arms_that_change():
    """What is revealed where arms change is what the last customer found, not the start."""
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
    show = Show(scenario, scenario.policies[0])
    assert show.true_means() == [0.9, 0.1]
    for _ in range(6):
        show.forward()
    assert show.true_means() == [0.2, 0.7]
    show.back()
    assert show.true_means() == [0.9, 0.1]
