"""The distributions p and q over history strings, exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm.theory.histories import best_q, emp, likelihood, p_from_q, q_from_p, strings
from kcmab_abm.theory.stopping import exact_stopping_value

means = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)
horizons = st.integers(1, 5)


@st.composite
def rules(draw: st.DrawFn) -> tuple[dict[str, Fraction], Fraction, int]:
    """A random q that stops at the latest after T rewards, with a mean and T."""
    horizon = draw(horizons)
    shares = st.sampled_from([Fraction(n, 4) for n in range(5)])
    q = {s: draw(shares) if len(s) < horizon else Fraction(1) for s in strings(horizon)}
    return q, draw(means), horizon


@settings(max_examples=60)
@given(rules())
def test_p_is_a_distribution(rule: tuple[dict[str, Fraction], Fraction, int]) -> None:
    """Lemma 1's p sums to 1 exactly."""
    q, mu, _ = rule
    assert sum(p_from_q(q, mu).values()) == 1


@settings(max_examples=60)
@given(rules())
def test_p_and_q_determine_each_other(rule: tuple[dict[str, Fraction], Fraction, int]) -> None:
    """From p one gets back q wherever q matters, and from that q the same p."""
    q, mu, _ = rule
    p = p_from_q(q, mu)
    again = q_from_p(p, mu)
    assert p_from_q(again, mu) == p
    reached = [s for s in q if all(q[s[:n]] < 1 for n in range(1, len(s)))]
    assert all(again[s] == q[s] for s in reached)


@settings(max_examples=60)
@given(rules())
def test_the_recursion_gives_the_expected_share(
    rule: tuple[dict[str, Fraction], Fraction, int],
) -> None:
    """Proposition 1: Algorithm 5 returns the sum of p(s) times the share of ones."""
    q, mu, horizon = rule
    p = p_from_q(q, mu)
    direct = sum(share * Fraction(s.count("1"), len(s)) for s, share in p.items())
    assert emp(q, mu, horizon) == direct


@settings(max_examples=60)
@given(rules())
def test_no_q_does_better_than_the_programme(
    rule: tuple[dict[str, Fraction], Fraction, int],
) -> None:
    """Lemma 2: emp(q) >= DP, with equality for the programme's own rule."""
    q, mu, horizon = rule
    value = exact_stopping_value(mu, horizon)
    assert emp(q, mu, horizon) >= value
    assert emp(best_q(mu, horizon), mu, horizon) == value


@pytest.mark.parametrize("horizon", [1, 3, 6, 10])
def test_equation_three_holds(horizon: int) -> None:
    """P(s) is the chance of stopping beyond s plus that of having stopped on the way."""
    mu = Fraction(7, 10)
    q = {s: Fraction(1 + s.count("1"), 2 + len(s)) for s in strings(horizon)}
    q |= {s: Fraction(1) for s in q if len(s) == horizon}
    p = p_from_q(q, mu)
    for s in ("1", "10", "101"):
        if len(s) <= horizon:
            beyond = sum(share for z, share in p.items() if z.startswith(s))
            before = sum(p[s[:n]] * likelihood(s[n:], mu) for n in range(1, len(s)))
            assert likelihood(s, mu) == beyond + before
