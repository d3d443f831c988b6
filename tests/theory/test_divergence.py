"""Kullback-Leibler divergences."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm import make_scenario
from kcmab_abm.theory.divergences import bernoulli_kl, beta_kl, density_kl, discrete_kl, divergence

shares = st.floats(0, 1)
inner = st.floats(0.01, 0.99)


def arms(*groups: dict[str, object]) -> tuple:
    """The arms of a market with these groups."""
    settings_ = {"horizon": 1, "market": {"arms": list(groups)}, "policy": [{"name": "ucb"}]}
    return make_scenario(settings_).market.arms


def test_known_values() -> None:
    """Coins: KL(1/2, 1/4) = ln 2 - ln 3 / 2; KL to a sure coin is infinite."""
    assert bernoulli_kl(0.5, 0.25) == pytest.approx(math.log(2) - math.log(3) / 2)
    assert bernoulli_kl(0.5, 1.0) == math.inf
    assert bernoulli_kl(1.0, 1.0) == bernoulli_kl(0.0, 0.0) == 0.0


@given(shares, shares)
def test_a_divergence_is_not_negative_and_above_pinsker(p: float, q: float) -> None:
    """KL(p, q) >= 2 (p - q)^2, the form of Pinsker's inequality that repairs Lemma 7."""
    assert bernoulli_kl(p, q) >= 2 * (p - q) ** 2 - 1e-12


@pytest.mark.parametrize("gap", [1e-3, 1e-7, 1e-10, 1e-13])
@pytest.mark.parametrize("p", [0.5, 0.9, 0.01])
def test_coins_that_almost_coincide(p: float, gap: float) -> None:
    """Close to p the divergence is gap^2 / (2 p (1 - p)), however small: nothing cancels."""
    q = p + gap
    exact = (q - p) ** 2 / (2 * p * (1 - p))
    assert bernoulli_kl(p, q) == pytest.approx(exact, rel=gap / (p * (1 - p)) + 1e-3, abs=0.0)


@given(inner, st.floats(1e-12, 1e-3))
def test_a_small_gap_is_a_divergence(p: float, gap: float) -> None:
    """Two coins that differ at all are apart, and by more than Pinsker's inequality asks for."""
    q = p - gap
    assert bernoulli_kl(p, q) >= 2 * (p - q) ** 2 * (1 - 1e-3)


@pytest.mark.parametrize("gap", [1e-2, 1e-5, 1e-8])
@pytest.mark.parametrize("size", [0.5, 3.0, 1e5])
def test_beta_laws_that_almost_coincide(size: float, gap: float) -> None:
    """The divergence grows with the square of a small step, where the closed form would cancel."""
    step = gap * size
    near, twice = (beta_kl(size, size, size + k * step, size - k * step) for k in (1, 2))
    assert near > 0.0
    assert twice / near == pytest.approx(4.0, rel=5 * gap + 1e-7)


def test_the_order_matters() -> None:
    """KL(D_i, D_1) is not KL(D_1, D_i)."""
    assert bernoulli_kl(0.1, 0.9) == pytest.approx(bernoulli_kl(0.9, 0.1))
    assert bernoulli_kl(0.5, 0.9) != pytest.approx(bernoulli_kl(0.9, 0.5))


@settings(max_examples=25, deadline=None)
@given(*[st.floats(0.8, 8)] * 4)
def test_beta_formula_agrees_with_integration(a: float, b: float, c: float, d: float) -> None:
    """The closed form for Beta laws equals numerical integration of the densities."""
    first, second = arms({"law": "beta", "alpha": [a, c], "beta": [b, d]})
    density = first.law.density
    numeric = density_kl(
        lambda x: density(x, first.row), lambda x: density(x, second.row), 0.0, 1.0
    )
    assert numeric == pytest.approx(beta_kl(a, b, c, d), rel=1e-3, abs=1e-6)


def test_mixed_laws() -> None:
    """Laws with atoms and laws without are infinitely far apart; uniform inside Beta is not."""
    coin, beta, uniform, wide = arms(
        {"law": "bernoulli", "means": [0.5]},
        {"law": "beta", "alpha": [1.0], "beta": [1.0]},
        {"law": "uniform", "low": [0.25, 0.0], "high": [0.75, 1.0]},
    )
    assert divergence(coin, beta) == divergence(beta, coin) == math.inf
    assert divergence(uniform, beta) == pytest.approx(math.log(2))
    assert divergence(wide, beta) == pytest.approx(0.0, abs=1e-9)
    assert divergence(beta, uniform) == math.inf


@given(st.lists(inner, min_size=2, max_size=5), st.lists(inner, min_size=2, max_size=5))
def test_merging_values_loses_divergence(p: list[float], q: list[float]) -> None:
    """The data processing inequality: a coarser look cannot tell laws apart better."""
    size = min(len(p), len(q))
    left = {float(k): v / sum(p[:size]) for k, v in enumerate(p[:size])}
    right = {float(k): v / sum(q[:size]) for k, v in enumerate(q[:size])}
    merged = [
        {0.0: law[0.0], 1.0: math.fsum(v for k, v in law.items() if k > 0)} for law in (left, right)
    ]
    assert discrete_kl(*merged) <= discrete_kl(left, right) + 1e-12


@pytest.mark.parametrize("p", [5e-324, 1e-320, 1e-308])
def test_tiny_probabilities_have_divergences(p):
    """Where q / p is beyond the largest float, the term of p is all the same almost 0."""
    assert bernoulli_kl(p, 0.9) == pytest.approx(bernoulli_kl(0.0, 0.9), rel=1e-12)
    assert bernoulli_kl(1.0 - 2.0**-53, p) > 600.0
