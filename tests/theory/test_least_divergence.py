"""The least divergence from a law to the laws on [0, 1] with a higher mean."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from kcmab_abm import make_scenario
from kcmab_abm.theory import bernoulli_kl, divergence, k_inf

inner = st.floats(0.05, 0.9)


def arm_of(law: str, **numbers: object):
    """An arm with this law."""
    arms = {"law": law, **numbers}
    scenario = {"horizon": 1, "market": {"arms": arms}, "policy": [{"name": "ucb"}]}
    [arm] = make_scenario(scenario).market.arms
    return arm


def beta_arm(mean: float, concentration: float):
    """A Beta arm."""
    return arm_of("beta", means=[mean], concentration=concentration)


@given(st.floats(0, 1), st.floats(0, 1))
def test_coins(p: float, q: float) -> None:
    """Between coins it is their divergence, and 0 if the mean is reached already."""
    arm = arm_of("bernoulli", means=[p])
    assert k_inf(arm, q) == (bernoulli_kl(p, q) if q > p else 0.0)


@pytest.mark.parametrize("mean", [0.4, 0.6, 0.99])
def test_a_sure_reward(mean: float) -> None:
    """The nearest law moves a share to 1: 0.3 (1 - s) + s = mean, with divergence -ln(1 - s)."""
    share = (mean - 0.3) / 0.7
    arm = arm_of("discrete", values=[0.3], probabilities=[[1.0]])
    assert k_inf(arm, mean) == pytest.approx(-math.log(1 - share), rel=1e-9)


def test_no_law_has_a_mean_above_1() -> None:
    """Whatever the arm."""
    assert k_inf(beta_arm(0.5, 4.0), 1.0) == math.inf


@pytest.mark.parametrize(
    ("mean", "concentration", "above"),
    [(0.5, 4.0, 0.9), (0.1, 1.0, 0.3), (0.3, 0.1, 0.35), (0.3, 0.05, 0.9), (0.5, 1e3, 0.6)],
)
def test_beta_laws_against_integration(mean: float, concentration: float, above: float) -> None:
    """The maximum of E ln(1 - r (X - above) / (1 - above)), computed another way."""
    law = stats.beta(mean * concentration, (1 - mean) * concentration)

    def fall(r: float) -> float:
        def integrand(u: float) -> float:
            return math.log1p(-r * (law.ppf(u) - above) / (1 - above))

        return -integrate.quad(integrand, 0, 1, limit=400, points=[0.5])[0]

    found = optimize.minimize_scalar(fall, bounds=(0, 1), method="bounded", options={"xatol": 1e-7})
    assert k_inf(beta_arm(mean, concentration), above) == pytest.approx(-found.fun, rel=1e-6)


@settings(max_examples=40, deadline=None)
@given(inner, st.floats(0.01, 0.09), st.floats(0.1, 50))
def test_between_coins_and_the_divergence_of_the_law(
    mean: float, gap: float, concentration: float
) -> None:
    """No law with this mean is nearer to a higher mean than a coin; the infimum is the least."""
    arm, best = beta_arm(mean, concentration), beta_arm(mean + gap, concentration)
    least = k_inf(arm, mean + gap)
    assert bernoulli_kl(mean, mean + gap) <= least * (1 + 1e-9)
    assert least <= divergence(arm, best) * (1 + 1e-6)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-10])
def test_arms_that_almost_coincide(gap: float) -> None:
    """For a small gap it is gap^2 / (2 variance): nothing cancels."""
    arm = beta_arm(0.5, 3.0)
    assert k_inf(arm, 0.5 + gap) == pytest.approx(gap**2 / (2 * arm.variance), rel=20 * gap + 1e-5)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=5, unique=True), st.floats(0.01, 0.99))
def test_no_other_law_is_nearer(values: list[float], share: float) -> None:
    """A law that moves a share of the probability to 1 has a higher mean, and is no nearer."""
    probabilities = [1 / len(values)] * len(values)
    arm = arm_of("discrete", values=sorted(values), probabilities=[probabilities])
    mean = (1 - share) * float(np.mean(values)) + share
    assert k_inf(arm, min(mean, 0.999)) <= -math.log1p(-share) + 1e-9
