"""The stopping problem of the lower bound's proof.

An opponent tosses a coin that shows 1 with probability mu, at least once and at most T times, and
stops when she likes. DP(mu, T) is the lowest expected share of ones that she can achieve (Algorithm
6). It is a lower bound on the empirical mean of arm 1 when another arm is pulled. DP(mu, T; nu) is
the lowest expected amount by which the share exceeds nu, where a share below nu counts as 0: a
lower bound on what a pull of an arm with mean nu costs.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

EXACT = 4000  # tosses: beyond, the value of the programme is bounded from below


def stopping_value(mu: float, horizon: int, other: float = 0.0) -> float:
    """The value DP(mu, T; nu) of the stopping problem, in O(T) memory and O(T^2) time.

    Parameters
    ----------
    mu
        The probability of a 1.
    horizon
        The largest number T of tosses.
    other
        The mean nu of another arm; by default 0, for which the value is DP(mu, T).

    Returns
    -------
    float
        The lowest expected excess of the share of ones over nu, not less than 0.

    Raises
    ------
    ValueError
        If mu or nu is outside [0, 1] or the horizon is below 1.

    Examples
    --------
    >>> stopping_value(0.5, 1), stopping_value(0.5, 2), stopping_value(0.5, 2, other=0.25)
    (0.5, 0.375, 0.25)
    """
    return _solve(mu, horizon, other)[0]


@lru_cache(maxsize=4096)
def least_surplus(mu: float, other: float, horizon: float) -> float:
    """A lower bound on DP(mu, T; nu): the value itself up to T = `EXACT`, and close to it beyond.

    Beyond, the value can decrease no further than `tail_bound` allows.

    >>> least_surplus(0.9, 0.8, 1000) == stopping_value(0.9, 1000, other=0.8)
    True
    """
    value = stopping_value(mu, int(min(horizon, EXACT)), other)
    if horizon > EXACT:
        value -= tail_bound(mu, EXACT, horizon)
    return max(0.0, value)


def stopping_rule(mu: float, horizon: int) -> NDArray[np.int64]:
    """The optimal rule: stop after t tosses if at most `rule[t - 1]` of them were ones.

    Parameters
    ----------
    mu
        The probability of a 1.
    horizon
        The largest number T of tosses.

    Returns
    -------
    array of int
        One entry per toss; -1 where stopping never pays. The rule stops where stopping and
        continuing have the same value.

    Raises
    ------
    ValueError
        If mu is outside [0, 1] or the horizon is below 1.

    Examples
    --------
    >>> stopping_rule(0.5, 4)
    array([0, 0, 1, 4])
    """
    return _solve(mu, horizon)[1]


def stopping_boundary(mu: float, horizon: int, tosses: int | None = None) -> list[tuple[int, int]]:
    """The boundary of the stopping region in the lattice of zeros and ones.

    The last toss is left out, because every rule stops after it.

    Parameters
    ----------
    mu
        The probability of a 1.
    horizon
        The largest number T of tosses.
    tosses
        Return only the boundary of the first `tosses` tosses.

    Returns
    -------
    list of (int, int)
        Pairs (zeros, ones): with so many zeros, stop at that many ones or fewer. Empty if mu is 0
        or 1, where all stops have the same value.

    Examples
    --------
    >>> stopping_boundary(0.5, 6)
    [(1, 0), (2, 1), (3, 2)]
    """
    if not 0.0 < mu < 1.0:
        return []
    most: dict[int, int] = {}
    rule = stopping_rule(mu, horizon)[:-1]
    for tossed, ones in enumerate(rule[:tosses].tolist(), start=1):
        if ones >= 0:
            most[tossed - ones] = max(ones, most.get(tossed - ones, 0))
    return sorted(most.items())


def stopping_floor(mu: float) -> float:
    """The proof's lower bound on DP(mu, T) for every T: mu - 1.5 sqrt(mu (1 - mu)).

    Parameters
    ----------
    mu
        The probability of a 1.

    Returns
    -------
    float
        The bound, which may be negative.

    Examples
    --------
    >>> round(stopping_floor(0.9), 2)
    0.45
    """
    return mu - 1.5 * math.sqrt(mu * (1.0 - mu))


def tail_bound(mu: float, horizon: int, last: float = math.inf) -> float:
    """An upper bound on the decrease of DP(mu, t; nu) from t = T to `last`, for any nu.

    The proof bounds it by sqrt(mu (1-mu))/2 times the sum over t from T to last - 1 of
    1/((t+1) sqrt t), which is at most 1/((T+1) sqrt T) + 2/sqrt T - 2/sqrt last.
    """
    spread = math.sqrt(mu * (1.0 - mu)) / 2.0
    first = 1.0 / ((horizon + 1) * math.sqrt(horizon))
    return spread * (first + 2.0 / math.sqrt(horizon) - 2.0 / math.sqrt(last))


def exact_stopping_value(mu: Fraction, horizon: int, other: Fraction = Fraction(0)) -> Fraction:
    """DP(mu, T; nu) in exact fractions, for small T.

    >>> exact_stopping_value(Fraction(1, 2), 2)
    Fraction(3, 8)
    """

    def excess(ones: int, tosses: int) -> Fraction:
        return max(Fraction(ones, tosses) - other, Fraction(0))

    value = {ones: excess(ones, horizon) for ones in range(horizon + 1)}
    for tosses in range(horizon - 1, 0, -1):
        value = {
            ones: min(excess(ones, tosses), mu * value[ones + 1] + (1 - mu) * value[ones])
            for ones in range(tosses + 1)
        }
    return mu * value[1] + (1 - mu) * value[0]


def half_mean_threshold(horizon: int, tolerance: float = 1e-4) -> tuple[float, float]:
    """Bracket the smallest mu above which DP(mu, T) >= mu/2 for every T (Lemma 3 says 0.9).

    DP decreases in T: a mu with DP(mu, horizon) < mu/2 is too low, and one for which the remaining
    decrease cannot reach mu/2 is high enough.
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


def _solve(mu: float, horizon: int, other: float = 0.0) -> tuple[float, NDArray[np.int64]]:
    """Value and rule by backward induction over the tosses."""
    for name, mean in {"mu": mu, "other": other}.items():
        if not 0.0 <= mean <= 1.0:
            raise ValueError(f"{name} must be in [0, 1], got {mean}")
    if horizon < 1:
        raise ValueError(f"the horizon must be >= 1, got {horizon}")
    ones = np.arange(horizon + 1, dtype=np.float64)
    value = np.maximum(ones / horizon - other, 0.0)
    rule = np.full(horizon, horizon, np.int64)
    go_on, stop = np.empty(horizon + 1), np.empty(horizon + 1)
    for tosses in range(horizon - 1, 0, -1):
        here = slice(0, tosses + 1)
        np.multiply(value[1 : tosses + 2], mu, out=go_on[here])
        value[here] *= 1.0 - mu
        go_on[here] += value[here]
        np.divide(ones[here], tosses, out=stop[here])
        if other > 0.0:
            stop[here] -= other
            np.maximum(stop[here], 0.0, out=stop[here])
        # Stopping pays up to some number of ones, so a count gives that number.
        rule[tosses - 1] = int(np.count_nonzero(stop[here] <= go_on[here])) - 1
        np.minimum(stop[here], go_on[here], out=value[here])
    return float(mu * value[1] + (1.0 - mu) * value[0]), rule
