"""The least divergence from a law to the laws on [0, 1] with a higher mean.

It takes the place of KL(D_i, D_1) in the lower bound for policies that know of a law only that
rewards are between 0 and 1.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.scenario.world import Arm
from kcmab_abm.theory.divergences import bernoulli_kl

Floats = NDArray[np.float64]

_NARROW = 1 / 32  # rewards in a cell differ by less
_DEEPEST = 45  # halvings that find a jump
_AT_THE_ENDS = 20  # halvings towards probability 0 and 1, where densities may have poles
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_POWERS = np.arange(24, 1, -1)


def k_inf(arm: Arm, mean: float) -> float:
    """The least divergence KL(D, G) from an arm's law D to a law G on [0, 1] with a higher mean.

    It is the maximum over r in [0, 1] of E ln(1 - r (X - mean) / (1 - mean)) (Honda and Takemura
    2010). For rewards of 0 and 1 it is the divergence of two coins; for other laws it is larger.

    Parameters
    ----------
    arm
        An arm of a scenario.
    mean
        The mean that G has to exceed.

    Returns
    -------
    float
        The divergence; 0 if the arm's own mean is at least as high, infinite if no law on [0, 1]
        has a mean above 1.

    Examples
    --------
    >>> from kcmab_abm import make_scenario
    >>> arms = {"law": "beta", "means": [0.5], "concentration": 4.0}
    >>> settings = {"horizon": 10, "market": {"arms": arms}, "policy": [{"name": "ucb"}]}
    >>> [arm] = make_scenario(settings).market.arms
    >>> round(k_inf(arm, 0.9), 4)
    1.4693
    """
    return _k_inf(arm, float(mean))


@lru_cache(maxsize=4096)  # a bound is drawn as a curve, with the same divergence at every point
def _k_inf(arm: Arm, mean: float) -> float:
    from scipy.optimize import brentq  # late: coins do not need it, and it is slow to import

    gap = mean - arm.mean
    if gap <= 0.0:
        return 0.0
    if mean >= 1.0:
        return math.inf
    atoms = None if arm.law.atoms is None else arm.law.atoms(arm.row)
    if atoms is not None and set(atoms) <= {0.0, 1.0}:
        return bernoulli_kl(arm.mean, mean)
    rewards, shares = _cells(arm) if atoms is None else _columns(atoms)
    y = (rewards - mean) / (1.0 - mean)
    rise = gap / (1.0 - mean)

    def slope(r: float) -> float:
        return rise - r * float(shares @ (y * y / (1.0 - r * y)))

    last = 1.0 - 1e-12  # at 1 a reward of 1 would count with ln 0
    best = last if slope(last) >= 0.0 else float(brentq(slope, 0.0, last, xtol=1e-300, rtol=1e-14))
    return max(0.0, best * rise - float(shares @ _excess(best * y)))


def _excess(x: Floats) -> Floats:
    """The convex function -x - ln(1 - x), without cancellation near 0."""
    near = np.where(np.abs(x) < 0.2, x, 0.0)
    series = np.zeros_like(x)
    for power in _POWERS:
        series = series * near + 1.0 / power
    far = np.where(near == x, 0.0, x)
    return np.where(near == x, series * near * near, -far - np.log1p(-far))


def _columns(atoms: dict[float, float]) -> tuple[Floats, Floats]:
    """Rewards and their probabilities."""
    return np.array(list(atoms), float), np.array(list(atoms.values()), float)


def _cells(arm: Arm) -> tuple[Floats, Floats]:
    """Rewards and weights with which a sum over them is an expectation.

    The quantile function is integrated over cells of probability, halved until rewards hardly
    differ within them, so that densities with poles and laws with jumps do no harm.
    """
    row = np.array(arm.row)

    def quantile(share: float) -> float:
        return float(arm.law.reward(share, row))

    waiting = [(0.0, 1.0, quantile(0.0), quantile(1.0), 0)]
    rewards: list[float] = []
    weights: list[float] = []
    while waiting:
        left, right, low, high, depth = waiting.pop()
        is_end = (left == 0.0 or right == 1.0) and depth < _AT_THE_ENDS
        if is_end or (high - low > _NARROW and depth < _DEEPEST):
            middle = (left + right) / 2.0
            between = quantile(middle)
            waiting += [
                (left, middle, low, between, depth + 1),
                (middle, right, between, high, depth + 1),
            ]
            continue
        half = (right - left) / 2.0
        rewards += [quantile(left + half * (1.0 + place)) for place in _PLACES]
        weights += list(half * _WEIGHTS)
    return np.array(rewards), np.array(weights)
