"""The stopping problem of the lower bound's proof.

An opponent watches a coin with heads probability mu, must toss it at least once and at most T
times, and stops when she likes: how low can she make the expected share of heads? DP(mu, T) is the
answer (Algorithm 6). It bounds from below what customers see of arm 1 when another arm is pulled.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


def stopping_value(mu: float, horizon: int) -> float:
    """DP(mu, T), in O(T) memory and O(T^2) time.

    >>> stopping_value(0.5, 1), stopping_value(0.5, 2)
    (0.5, 0.375)
    """
    return _solve(mu, horizon)[0]


def stopping_rule(mu: float, horizon: int) -> NDArray[np.int64]:
    """The optimal rule: after t tosses stop if there were at most `rule[t - 1]` ones.

    An entry of -1 means that one never stops after t tosses. Where stopping and going on are worth
    the same, the rule stops.

    >>> stopping_rule(0.5, 4)
    array([0, 0, 1, 4])
    """
    return _solve(mu, horizon)[1]


def stopping_floor(mu: float) -> float:
    """The floor that the proof gives for every T: mu - 1.5 sqrt(mu (1 - mu))."""
    return mu - 1.5 * math.sqrt(mu * (1.0 - mu))


def tail_bound(mu: float, horizon: int) -> float:
    """How much DP(mu, T) can still fall after T: the proof's bound on the sum of its steps.

    sqrt(mu (1-mu))/2 times the sum over t >= T of 1/((t+1) sqrt t), which is at most
    1/((T+1) sqrt T) + 2/sqrt T.
    """
    spread = math.sqrt(mu * (1.0 - mu)) / 2.0
    return spread * (1.0 / ((horizon + 1) * math.sqrt(horizon)) + 2.0 / math.sqrt(horizon))


def exact_stopping_value(mu: Fraction, horizon: int) -> Fraction:
    """DP(mu, T) in exact fractions, for small T.

    >>> exact_stopping_value(Fraction(1, 2), 2)
    Fraction(3, 8)
    """
    value = {ones: Fraction(ones, horizon) for ones in range(horizon + 1)}
    for tosses in range(horizon - 1, 0, -1):
        value = {
            ones: min(Fraction(ones, tosses), mu * value[ones + 1] + (1 - mu) * value[ones])
            for ones in range(tosses + 1)
        }
    return mu * value[1] + (1 - mu) * value[0]


def half_mean_threshold(horizon: int, tolerance: float = 1e-4) -> tuple[float, float]:
    """Bracket the least mu from which on DP(mu, T) >= mu/2 for every T (Lemma 3 says 0.9).

    DP falls with T, so a mu with DP(mu, horizon) < mu/2 is too low, and one for which the rest of
    the fall cannot reach mu/2 is high enough.
    """
    too_low = _bisect(lambda mu: stopping_value(mu, horizon) >= mu / 2.0, tolerance)[0]
    enough = _bisect(
        lambda mu: stopping_value(mu, horizon) - tail_bound(mu, horizon) >= mu / 2.0, tolerance
    )[1]
    return too_low, enough


def _bisect(holds, tolerance: float) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    low, high = 0.5, 1.0
    while high - low > tolerance:
        middle = (low + high) / 2.0
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def _solve(mu: float, horizon: int) -> tuple[float, NDArray[np.int64]]:
    """Backwards from T tosses to one: the value of every number of ones, then one toss less."""
    if not 0.0 <= mu <= 1.0:
        raise ValueError(f"mu must be in [0, 1], got {mu}")
    if horizon < 1:
        raise ValueError(f"the horizon must be >= 1, got {horizon}")
    ones = np.arange(horizon + 1, dtype=np.float64)
    value = ones / horizon
    rule = np.full(horizon, horizon, np.int64)
    go_on, stop = np.empty(horizon + 1), np.empty(horizon + 1)
    for tosses in range(horizon - 1, 0, -1):
        here = slice(0, tosses + 1)
        np.multiply(value[1 : tosses + 2], mu, out=go_on[here])
        value[here] *= 1.0 - mu
        go_on[here] += value[here]
        np.divide(ones[here], tosses, out=stop[here])
        # The ones at which stopping pays are the lowest ones.
        rule[tosses - 1] = int(np.count_nonzero(stop[here] <= go_on[here])) - 1
        np.minimum(stop[here], go_on[here], out=value[here])
    return float(mu * value[1] + (1.0 - mu) * value[0]), rule
