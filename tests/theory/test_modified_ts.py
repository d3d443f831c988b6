"""The small truths in the proof of Theorem 4, on simulated markets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kcmab_abm import Scenario, make_scenario, play


def market(means: list[float], runs: int) -> Scenario:
    """A market under modified Thompson sampling."""
    return make_scenario(
        {
            "horizon": 1000,
            "replications": runs,
            "seed": 11,
            "market": {"arms": {"law": "bernoulli", "means": means}},
            "policy": [{"name": "modified-ts"}],
        }
    )


@given(st.integers(1, 60), st.integers(1, 60), st.floats(0, 1))
def test_beta_and_binomial_are_two_sides_of_one_sum(a: int, b: int, x: float) -> None:
    """Fact 4: the Beta(a, b) distribution function at x is 1 - Binomial(a+b-1, x) at a-1."""
    left = stats.beta.cdf(x, a, b)
    assert left == pytest.approx(1.0 - stats.binom.cdf(a - 1, a + b - 1, x), abs=1e-10)


@pytest.mark.parametrize("replication", range(20))
def test_payments_for_the_arm_just_pulled_are_small(replication: int) -> None:
    """When both customers of a round take arm i, the payment is at most 1/N_i(t)."""
    run = play(market([0.8, 0.7, 0.5], 1), replication=replication)
    pulls = np.array([np.cumsum(run.arms == arm) for arm in range(3)])
    for first in range(3, len(run) - 1, 2):
        arm = run.arms[first]
        if run.arms[first + 1] == arm:
            assert run.payments[first + 1] <= 1.0 / pulls[arm, first - 1] + 1e-12
        assert run.payments[first] == 0.0


def test_customers_seldom_overrate_an_arm_in_empirical_steps() -> None:
    """Lemma 6: empirical steps on arm i while m_i >= mu_i + Delta_i/2 are at most 4/Delta^2 + 1."""
    means = [0.8, 0.5, 0.3]
    counts = np.zeros((200, 3))
    for replication in range(200):
        run = play(market(means, 200), replication=replication)
        for arm in (1, 2):
            mine = run.arms == arm
            before = np.cumsum(mine) - mine
            totals = np.cumsum(run.rewards * mine) - run.rewards * mine
            empirical = np.arange(len(run)) >= 3
            empirical &= (np.arange(len(run)) - 3) % 2 == 0
            level = means[arm] + (means[0] - means[arm]) / 2
            high = totals >= level * np.maximum(before, 1)
            counts[replication, arm] = np.sum(mine & empirical & high)
    for arm in (1, 2):
        bound = 4 / (means[0] - means[arm]) ** 2 + 1
        error = counts[:, arm].std(ddof=1) / np.sqrt(200)
        assert counts[:, arm].mean() + 5 * error <= bound
