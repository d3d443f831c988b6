"""The stopping problem of the lower bound's proof."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm.theory.stopping import (
    exact_stopping_value,
    half_mean_threshold,
    stopping_boundary,
    stopping_floor,
    stopping_rule,
    stopping_value,
    tail_bound,
)

CHOW_ROBBINS = 0.79295350  # the value of the S_n/n game with a fair coin

shares = st.fractions(0, 1, max_denominator=20)


def best_of_all_rules(mu: Fraction, horizon: int) -> Fraction:
    """The least expected share of ones over every set of strings at which one may stop."""
    strings = [
        "".join(letters)
        for length in range(1, horizon)
        for letters in itertools.product("01", repeat=length)
    ]
    return min(
        surplus_when_stopping(
            {s for s, flag in zip(strings, flags, strict=True) if flag}, mu, horizon
        )
        for flags in itertools.product([False, True], repeat=len(strings))
    )


def surplus_when_stopping(
    stops: set[str], mu: Fraction, horizon: int, other: Fraction = Fraction(0)
) -> Fraction:
    """The expected excess of the share of ones over `other`, where stopped or after `horizon`."""
    total = Fraction(0)
    for letters in itertools.product("01", repeat=horizon):
        string = "".join(letters)
        end = next((n for n in range(1, horizon) if string[:n] in stops), horizon)
        ones = string.count("1")
        chance = mu**ones * (1 - mu) ** (horizon - ones)
        total += chance * max(Fraction(string[:end].count("1"), end) - other, Fraction(0))
    return total


@given(shares)
def test_one_and_two_tosses_have_closed_forms(mu: Fraction) -> None:
    """DP(mu, 1) = mu and DP(mu, 2) = mu (1 + mu) / 2, exactly."""
    assert exact_stopping_value(mu, 1) == mu
    assert exact_stopping_value(mu, 2) == mu * (1 + mu) / 2


@pytest.mark.parametrize("tenths", [1, 5, 9])
@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_no_stopping_rule_does_better(tenths: int, horizon: int) -> None:
    """The dynamic programme equals brute force over all 2^(2^T - 2) stopping rules."""
    mu = Fraction(tenths, 10)
    assert exact_stopping_value(mu, horizon) == best_of_all_rules(mu, horizon)


def test_none_of_the_16384_rules_for_four_tosses_does_better() -> None:
    """The same for T = 4 and the mean of the lower bound."""
    mu = Fraction(9, 10)
    assert exact_stopping_value(mu, 4) == best_of_all_rules(mu, 4)


@pytest.mark.parametrize("horizon", [5, 8, 12])
def test_the_rule_attains_the_value_over_all_strings(horizon: int) -> None:
    """Stopping at the boundary, summed over all 2^T strings, gives DP exactly."""
    for mu in (Fraction(1, 2), Fraction(9, 10)):
        rule = stopping_rule(float(mu), horizon)
        stops = {
            "".join(letters)
            for length in range(1, horizon)
            for letters in itertools.product("01", repeat=length)
            if letters.count("1") <= rule[length - 1]
        }
        assert surplus_when_stopping(stops, mu, horizon) == exact_stopping_value(mu, horizon)


@given(shares, st.integers(1, 40))
def test_floats_agree_with_fractions(mu: Fraction, horizon: int) -> None:
    """The O(T) programme in floating point agrees with exact fractions."""
    exact = float(exact_stopping_value(mu, horizon))
    assert stopping_value(float(mu), horizon) == pytest.approx(exact, abs=1e-13)


@given(shares, st.integers(1, 30))
def test_more_tosses_help_the_opponent(mu: Fraction, horizon: int) -> None:
    """DP falls with T, by no more than the proof allows."""
    now, later = exact_stopping_value(mu, horizon), exact_stopping_value(mu, horizon + 1)
    step = math.sqrt(mu * (1 - mu)) / (2 * (horizon + 1) * math.sqrt(horizon))
    assert 0 <= now - later <= step + 1e-12


@given(shares, shares, st.integers(1, 25))
def test_a_better_coin_looks_better(mu: Fraction, other: Fraction, horizon: int) -> None:
    """DP rises with mu."""
    low, high = sorted([mu, other])
    assert exact_stopping_value(low, horizon) <= exact_stopping_value(high, horizon)


@settings(max_examples=30)
@given(st.floats(0, 1), st.integers(1, 400))
def test_the_proved_floor_holds(mu: float, horizon: int) -> None:
    """DP(mu, T) >= mu - 1.5 sqrt(mu (1 - mu)), and never above mu."""
    value = stopping_value(mu, horizon)
    assert stopping_floor(mu) - 1e-12 <= value <= mu + 1e-12


def test_a_fair_coin_tends_to_chow_and_robbins() -> None:
    """DP(1/2, T) falls to 1 - 0.79295..., no faster than the tail bound allows."""
    limit = 1.0 - CHOW_ROBBINS
    values = [stopping_value(0.5, horizon) for horizon in (10, 100, 1000, 8000)]
    assert values == sorted(values, reverse=True)
    assert 0.0 < values[-1] - limit <= tail_bound(0.5, 8000)
    assert values[-1] - limit < 5e-4


def test_the_value_that_the_paper_needs() -> None:
    """DP(0.9, 4000) = 0.7173, far above the 0.45 that the proof settles for."""
    assert stopping_value(0.9, 4000) == pytest.approx(0.7173, abs=5e-5)


def test_lemma_3_holds_from_much_lower_means_on() -> None:
    """DP(mu, T) >= mu/2 for all T from about 0.6 on, not only from 0.9, and fails below."""
    too_low, enough = half_mean_threshold(4000, tolerance=1e-3)
    assert 0.59 < too_low < enough < 0.62
    assert stopping_value(too_low - 0.005, 4000) < (too_low - 0.005) / 2


@pytest.mark.parametrize(("mu", "horizon"), [(-0.1, 5), (1.1, 5), (0.5, 0), (math.nan, 5)])
def test_nonsense_is_refused(mu: float, horizon: int) -> None:
    """A mean outside [0, 1] or a horizon below 1 is an error that says so."""
    with pytest.raises(ValueError, match="must be"):
        stopping_value(mu, horizon)


@pytest.mark.slow
def test_a_hundred_thousand_tosses_fit_in_linear_memory() -> None:
    """T = 100 000 is solved, and is closer to Chow and Robbins than T = 8 000."""
    assert 0.0 < stopping_value(0.5, 100_000) - (1.0 - CHOW_ROBBINS) < 1e-4


@given(st.floats(0.01, 0.99), st.integers(1, 80))
def test_the_boundary_is_that_of_the_rule(mu, horizon):
    """On it the rule stops, with one more one it goes on; the last toss has no part in it."""
    rule = stopping_rule(mu, horizon).tolist()
    boundary = stopping_boundary(mu, horizon)
    for zeros, ones in boundary:
        tossed = zeros + ones
        assert 1 <= tossed < horizon
        assert rule[tossed - 1] == ones
        assert tossed + 1 >= horizon or rule[tossed] <= ones
    found = {tossed - most for tossed, most in enumerate(rule[:-1], 1) if most >= 0}
    assert [zeros for zeros, _ in boundary] == sorted(found)


@pytest.mark.parametrize("mu", [0.0, 1.0])
def test_a_coin_that_never_turns_has_no_boundary(mu):
    """All stops are worth the same, so that there is nothing to draw."""
    assert stopping_boundary(mu, 50) == []
    assert stopping_boundary(0.5, 1) == []


@pytest.mark.parametrize("other", [Fraction(1, 5), Fraction(1, 2), Fraction(4, 5)])
@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_no_rule_makes_another_arm_cheaper(other: Fraction, horizon: int) -> None:
    """With a payoff of (share - nu)^+, too, the programme equals brute force over all rules."""
    mu = Fraction(9, 10)
    strings = [
        "".join(letters)
        for length in range(1, horizon)
        for letters in itertools.product("01", repeat=length)
    ]
    least = min(
        surplus_when_stopping(set(itertools.compress(strings, flags)), mu, horizon, other)
        for flags in itertools.product([False, True], repeat=len(strings))
    )
    assert exact_stopping_value(mu, horizon, other) == least


@given(shares, shares, st.integers(1, 25))
def test_floats_and_fractions_agree_on_the_surplus(
    mu: Fraction, other: Fraction, horizon: int
) -> None:
    """The vectorised programme is the exact one."""
    exact = exact_stopping_value(mu, horizon, other)
    assert stopping_value(float(mu), horizon, float(other)) == pytest.approx(
        float(exact), abs=1e-14
    )


def test_other_means_are_checked() -> None:
    """As mu is."""
    with pytest.raises(ValueError, match=r"other must be in \[0, 1\], got 1.5"):
        stopping_value(0.5, 10, other=1.5)
