"""The paper's bounds, against formulas and against simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kcmab_abm
from kcmab_abm import make_scenario, simulate
from kcmab_abm.theory import bounds
from kcmab_abm.theory.stopping import stopping_value
from kcmab_abm.yardsticks import yardstick_table

PAPER = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]


def test_the_promised_names_are_there() -> None:
    """`kcmab_abm.theory` has the functions that scripts rely on, with these arguments."""
    theory = kcmab_abm.theory
    assert theory.stopping_value(mu=0.5, horizon=1) == 0.5
    assert theory.lai_robbins(arms=[0.9, 0.5], horizon=10) > 0
    assert theory.ucb_compensation_bound(arms=[0.9, 0.5], horizon=10) > 0
    bound = theory.modified_epsilon_greedy_compensation_bound
    assert bound(arms=[0.9, 0.5], horizon=10, epsilon=5.0) > 0
    assert theory.bernoulli_kl(p=0.5, q=0.5) == 0.0


def test_lai_robbins_in_the_paper_s_instance() -> None:
    """The slope times ln 10 000 is 69.2 for the nine arms."""
    assert bounds.lai_robbins(PAPER, 10_000) == pytest.approx(69.23, abs=0.005)


def test_a_sure_best_arm_costs_nothing_in_the_end() -> None:
    """KL is infinite where mu_1 = 1, so the slope is 0."""
    assert bounds.lai_robbins([1.0, 0.5], 1000) == 0.0


def test_scenario_arms_and_means_are_the_same() -> None:
    """A list of means stands for Bernoulli arms."""
    scenario = make_scenario(
        {
            "horizon": 10,
            "market": {"arms": {"law": "bernoulli", "means": PAPER}},
            "policy": [{"name": "ucb"}],
        }
    )
    assert bounds.lai_robbins(scenario.market.arms, 500) == bounds.lai_robbins(PAPER, 500)


def test_theorem_2_by_hand() -> None:
    """Two arms with gap 1/2: 16 ln T / (1/2) + 4 pi^2 / 3."""
    expected = 32 * math.log(1000) + 4 * math.pi**2 / 3
    assert bounds.ucb_compensation_bound([0.9, 0.4], 1000) == pytest.approx(expected)


def test_theorem_3_by_hand() -> None:
    """With c = eps Delta_2^2 / N, the repaired second term is larger by 4 (N + 1) / N."""
    printed = bounds.modified_epsilon_greedy_compensation_bound([0.9, 0.4], 1000, 8.0)
    repaired = bounds.modified_epsilon_greedy_compensation_bound([0.9, 0.4], 1000, 8.0, True)
    c, log = 1.0, math.log(1000)
    assert printed == pytest.approx(c * 0.5 * log / 0.25 + 2 / 0.5 * math.sqrt(c * log))
    assert repaired == pytest.approx(c * 0.5 * log / 0.25 + 12 / 0.5 * math.sqrt(c * log))


def test_theorem_1_covers_only_its_own_case() -> None:
    """The constants are proved for mu_1 >= 0.9 and mu_2 <= 0.2; elsewhere there is no number."""
    assert math.isnan(bounds.compensation_slope(PAPER, 1000))
    value = (stopping_value(0.9, 1000) - 0.1) * math.log(1000)
    kl = 0.1 * math.log(0.1 / 0.9) + 0.9 * math.log(0.9 / 0.1)
    assert bounds.compensation_slope([0.9, 0.1], 1000) == pytest.approx(value / kl)


def test_equal_arms_have_nothing_to_bound() -> None:
    """Without a gap there is no regret and no slope."""
    assert bounds.gaps([0.5, 0.5]) == []
    assert bounds.lai_robbins([0.5, 0.5], 100) == 0.0
    assert bounds.ucb_regret_bound([0.5, 0.5], 100) == 0.0


@given(st.floats(1, 1e6), st.floats(0.01, 1))
def test_informative_from_is_the_first_such_horizon(level: float, most: float) -> None:
    """A constant bound says something as soon as most * T exceeds it, and not one T before."""
    start = bounds.informative_from(lambda horizon: level, most)
    assert most * start > level
    assert start <= 2 or most * (start - 1) <= level * (1 + 1e-9)


def test_too_much_slack_is_refused() -> None:
    """The proof's slack must stay below the smallest gap."""
    with pytest.raises(ValueError, match="slack"):
        bounds.modified_ts_regret_leading_terms([0.9, 0.8], 100, slack=0.2)


@pytest.mark.parametrize("seed", range(6))
def test_upper_bounds_are_respected_on_random_markets(seed: int) -> None:
    """Mean regret and compensation stay below every upper bound (5 standard errors of grace)."""
    rng = np.random.default_rng(seed)
    means = np.sort(rng.uniform(0.05, 0.95, rng.integers(2, 7)))[::-1]
    law = ["bernoulli", "beta"][seed % 2]
    arms = {"law": law, "means": means.tolist()} | ({"concentration": 3.0} if seed % 2 else {})
    least = float(means[0] - means[1])
    epsilon = min(1e4, 5 * len(means) / least**2)
    scenario = make_scenario(
        {
            "horizon": 2000,
            "replications": 200,
            "seed": seed,
            "market": {"arms": arms},
            "policy": [{"name": "ucb"}, {"name": "modified-epsilon-greedy", "epsilon": epsilon}],
        }
    )
    results = simulate(scenario)
    table = yardstick_table(results)
    upper = table[table["kind"] == "upper bound"]
    assert len(upper) == 4
    assert upper["respected"].all()
    pulls = results.arms().query("policy == 'ucb' and mean < @means[0]")
    for row in pulls.itertuples():
        bound = bounds.ucb_pulls_bound(means[0] - row.mean, 2000)
        assert row.pulls - 5 * row.pulls_se <= bound
