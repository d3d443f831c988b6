"""The paper's upper bounds, as functions of the arms and the horizon; they hold for every T."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from kcmab_abm.theory.arms import Arms, gaps, gaps_to_one

LATEST = 1e300  # the search for an informative horizon ends here


def ucb_pulls_bound(gap: float, horizon: float) -> float:
    """The upper bound on UCB's expected pulls of one arm: 8 ln T / Delta_i^2 + pi^2/3.

    Parameters
    ----------
    gap
        The arm's distance Delta_i to the best mean.
    horizon
        The number of customers T.

    Returns
    -------
    float

    Examples
    --------
    >>> round(ucb_pulls_bound(0.5, 1000), 1)
    224.3
    """
    return 8.0 * math.log(horizon) / gap / gap + math.pi**2 / 3.0


def ucb_regret_bound(arms: Arms, horizon: float) -> float:
    """The upper bound on UCB's regret: every gap times the bound on its pulls, added up.

    Parameters
    ----------
    arms
        A scenario's arms, or Bernoulli means.
    horizon
        The number of customers T.

    Returns
    -------
    float

    Examples
    --------
    >>> round(ucb_regret_bound([0.9, 0.4], 1000), 1)
    112.2
    """
    log = math.log(horizon)  # the gap is not squared, because the square of a tiny one is 0
    return _total(8.0 * log / gap + gap * math.pi**2 / 3.0 for gap in gaps(arms))


def ucb_compensation_bound(arms: Arms, horizon: float) -> float:
    """The upper bound on UCB's compensation (Theorem 2): sum_i 16 ln T / Delta_i + 2 N pi^2 / 3.

    Parameters
    ----------
    arms
        A scenario's arms, or Bernoulli means.
    horizon
        The number of customers T.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If several arms are best: compensation then grows faster than ln T.

    Examples
    --------
    >>> round(ucb_compensation_bound([0.9, 0.4], 1000), 1)
    234.2
    """
    every = gaps_to_one(arms, "Theorem 2")
    leading = _total(16.0 * math.log(horizon) / gap for gap in every)
    return leading + 2.0 * len(arms) * math.pi**2 / 3.0


def modified_epsilon_greedy_compensation_bound(
    arms: Arms, horizon: float, epsilon: float, repaired: bool = False
) -> float:
    """The upper bound on modified epsilon-greedy's compensation (Theorem 3).

    It is sum_i Delta_i (epsilon / N) ln T plus a second term, printed as
    N^2/2 sqrt((epsilon / N) ln T); the paper writes c / Delta_2^2 for epsilon / N. The printed
    proof assumes that empirical means are unbiased at exploration times, which they are not.
    Doob's inequality gives the repaired second term
    2 N (sqrt(N-1) + 1) sqrt((epsilon / N) ln T). Neither needs a unique best arm.

    Parameters
    ----------
    arms
        A scenario's arms, or Bernoulli means.
    horizon
        The number of customers T.
    epsilon
        The policy's exploration constant.
    repaired
        Return the repaired bound instead of the printed one.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> round(modified_epsilon_greedy_compensation_bound([0.9, 0.4], 1000, epsilon=20), 1)
    51.2
    """
    count = len(arms)
    explorations = epsilon / count * math.log(horizon)  # of each arm
    factor = 2.0 * count * (math.sqrt(count - 1) + 1.0) if repaired else count**2 / 2.0
    return _total(gaps(arms)) * explorations + factor * math.sqrt(explorations)


def modified_ts_regret_leading_terms(arms: Arms, horizon: float, slack: float = 0.0) -> float:
    """The leading terms of modified Thompson sampling's regret bound (Theorem 4).

    They are sum_i 2 Delta_i ln T / (Delta_i - slack)^2. The paper does not state the constants that
    complete the bound.

    Parameters
    ----------
    arms
        A scenario's arms, or Bernoulli means.
    horizon
        The number of customers T.
    slack
        The proof's epsilon, at least 0 and below the smallest gap.

    Returns
    -------
    float
        The leading terms.

    Raises
    ------
    ValueError
        If the slack is negative or not below the smallest gap, or if several arms are best.

    Examples
    --------
    >>> round(modified_ts_regret_leading_terms([0.9, 0.4], 1000), 1)
    27.6
    """
    every = gaps_to_one(arms, "Theorem 4")
    return _total(2.0 * g / _less(g, slack) / _less(g, slack) for g in every) * math.log(horizon)


def modified_ts_compensation_leading_terms(arms: Arms, horizon: float, slack: float = 0.0) -> float:
    """The leading terms of modified Thompson sampling's compensation bound (Theorem 4).

    They are sum_i 8 ln T / (Delta_i - slack) + N ln T. The paper does not state the constants that
    complete the bound.

    Parameters
    ----------
    arms
        A scenario's arms, or Bernoulli means.
    horizon
        The number of customers T.
    slack
        The proof's epsilon, at least 0 and below the smallest gap.

    Returns
    -------
    float
        The leading terms.

    Raises
    ------
    ValueError
        If the slack is negative or not below the smallest gap, or if several arms are best.

    Examples
    --------
    >>> round(modified_ts_compensation_leading_terms([0.9, 0.4], 1000), 1)
    124.3
    """
    every = gaps_to_one(arms, "Theorem 4")
    slope = _total(8.0 / _less(g, slack) for g in every) + len(arms)
    return slope * math.log(horizon)


def informative_from(bound: Callable[[float], float], most: float) -> float:
    """The smallest horizon T at which a bound falls below the trivial bound `most` times T.

    >>> informative_from(lambda horizon: 100.0, most=0.5)
    201.0
    """
    low, high = 1.0, 2.0
    while bound(high) >= most * high:
        low, high = high, high * 2.0
        if high > LATEST:
            return math.inf
    while math.floor(low) < math.ceil(high) - 1 and high / low > 1.0 + 1e-12:
        middle = (low + high) / 2.0
        if bound(middle) >= most * middle:
            low = middle
        else:
            high = middle
    least = math.floor(high)
    return float(least if bound(least) < most * least else math.ceil(high))


def _total(terms: Iterable[float]) -> float:
    """The exact sum; infinite if it is too large for a float, as it may be for tiny gaps."""
    try:
        return math.fsum(terms)
    except OverflowError:
        return math.inf


def _less(gap: float, slack: float) -> float:
    if not 0.0 <= slack < gap:
        raise ValueError(f"the slack must be in [0, {gap:g}), the smallest gap, got {slack}")
    return gap - slack
