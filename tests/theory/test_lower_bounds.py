"""Lower bounds on regret and compensation, against formulas and against their own proofs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm import make_scenario
from kcmab_abm.theory import bernoulli_kl, lower_bounds
from kcmab_abm.theory.stopping import EXACT, least_surplus, stopping_value

PAPER = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]


def market_arms(*groups: dict[str, object]) -> tuple:
    """The arms of a market with these groups."""
    table = {"horizon": 1, "market": {"arms": list(groups)}, "policy": [{"name": "ucb"}]}
    return make_scenario(table).market.arms


def test_lai_robbins_in_the_paper_s_instance() -> None:
    """The slope times ln 10 000 is 69.2 for the nine arms."""
    assert lower_bounds.lai_robbins(PAPER, 10_000) == pytest.approx(69.23, abs=0.005)


def test_laws_other_than_coins_have_a_slope() -> None:
    """A Beta arm beside a coin: 0.2 / KL(0.5, 0.7), not 0; nine Beta arms: 2.51, not 1.49."""
    nine = market_arms({"law": "beta", "means": PAPER, "concentration": 4.0})
    mixed = market_arms(
        {"law": "beta", "means": [0.7], "concentration": 4.0},
        {"law": "bernoulli", "means": [0.5]},
    )
    assert lower_bounds.lai_robbins(nine, math.e) == pytest.approx(2.51, abs=0.005)
    assert lower_bounds.lai_robbins(mixed, math.e) == pytest.approx(2.294, abs=0.0005)


def test_a_sure_best_arm_costs_nothing_in_the_end() -> None:
    """KL is infinite where mu_1 = 1, so the slope is 0."""
    assert lower_bounds.lai_robbins([1.0, 0.5], 1000) == 0.0


def test_scenario_arms_and_means_are_the_same() -> None:
    """A list of means stands for Bernoulli arms."""
    scenario = make_scenario(
        {
            "horizon": 10,
            "market": {"arms": {"law": "bernoulli", "means": PAPER}},
            "policy": [{"name": "ucb"}],
        }
    )
    assert lower_bounds.lai_robbins(scenario.market.arms, 500) == lower_bounds.lai_robbins(
        PAPER, 500
    )


def test_arms_that_almost_coincide_have_a_slope() -> None:
    """Means that differ by 1e-10 have a slope of Delta ln T / KL with KL about 2 Delta^2."""
    slope = lower_bounds.lai_robbins([0.5, 0.5000000001], 100)
    assert slope == pytest.approx(math.log(100) / (2 * 1e-10), rel=1e-6)


def test_compensation_slopes_in_the_paper_s_instance() -> None:
    """7.52 for each unit of ln T without knowledge of T, 4.38 with it."""
    assert lower_bounds.anytime_compensation_slope(PAPER, math.e) == pytest.approx(7.517, abs=5e-4)
    known = lower_bounds.compensation_slope(PAPER, 4000) / math.log(4000)
    assert known == pytest.approx(4.380, abs=5e-4)


def test_theorem_1_by_hand() -> None:
    """One other arm: the value of the stopping problem times ln T / KL."""
    value = stopping_value(0.9, 1000, other=0.1) * math.log(1000)
    expected = value / bernoulli_kl(0.1, 0.9)
    assert lower_bounds.compensation_slope([0.9, 0.1], 1000) == pytest.approx(expected)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0.02, 0.98), min_size=2, max_size=4))
def test_not_knowing_the_horizon_costs_more(means: list[float]) -> None:
    """Both slopes are positive wherever an arm is worse, and that of Proposition 2 is steeper."""
    best = max(means)
    apart = [best, *(mean for mean in means if mean < best - 0.1)]
    known = lower_bounds.compensation_slope(apart, 1000)
    anytime = lower_bounds.anytime_compensation_slope(apart, 1000)
    assert known <= anytime * (1 + 1e-9)
    assert (known > 0.0) == (len(apart) > 1)


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.integers(1, 300))
def test_the_surplus_is_at_least_the_least_mean_less_the_other(mu, other, horizon) -> None:
    """As for the paper's constants; it falls with T, and is 0 only if no toss is above nu."""
    surplus = least_surplus(mu, other, horizon)
    assert surplus >= stopping_value(mu, horizon) - other - 1e-12
    assert surplus <= least_surplus(mu, other, max(1, horizon // 2)) + 1e-12


def test_theorem_1_covers_coins_beside_other_laws() -> None:
    """Only arm 1 has to be a coin; if it is not, there is no number."""
    beta = {"law": "beta", "concentration": 4.0}
    coin = {"law": "bernoulli"}
    mixed = market_arms(coin | {"means": [0.7]}, beta | {"means": [0.5]})
    tied = market_arms(beta | {"means": [0.7, 0.5]}, coin | {"means": [0.7]})
    other = market_arms(beta | {"means": [0.7]}, coin | {"means": [0.5]})
    assert lower_bounds.compensation_slope(mixed, 100) > 0.0
    assert lower_bounds.compensation_slope(tied, 100) > 0.0
    assert math.isnan(lower_bounds.compensation_slope(other, 100))


def test_long_horizons_are_bounded_from_below() -> None:
    """Beyond the exact range the surplus is close to its value, never above it, never rising."""
    exact = stopping_value(0.9, 6000, other=0.8)
    bounded = [least_surplus(0.9, 0.8, horizon) for horizon in (EXACT, 6000, 10**6, 10**12)]
    assert bounded[0] == stopping_value(0.9, EXACT, other=0.8)
    assert exact - 0.001 < bounded[1] < exact
    assert sorted(bounded, reverse=True) == bounded
    assert bounded[-1] > 0.03


@pytest.mark.parametrize("means", [[0.5, 0.5], [0.7, 0.7, 0.7]])
def test_equal_arms_have_no_slope(means: list[float]) -> None:
    """Without a gap there is no regret and no forced pull."""
    for bound in (
        lower_bounds.lai_robbins,
        lower_bounds.compensation_slope,
        lower_bounds.anytime_compensation_slope,
    ):
        assert bound(means, 100) == 0.0


def test_ties_of_the_best_change_nothing() -> None:
    """The arms that are worse have to be pulled as often, and a pull costs no less."""
    for bound in (lower_bounds.compensation_slope, lower_bounds.anytime_compensation_slope):
        assert bound([0.9, 0.9, 0.5], 100) == bound([0.9, 0.5], 100)
