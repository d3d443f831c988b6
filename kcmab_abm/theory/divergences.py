"""Kullback-Leibler divergences KL(P, Q) = E_P ln(dP/dQ), in natural logarithms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from scipy import special

from kcmab_abm.scenario.world import Arm

_CANCELLED = 1e-6  # a sum below this share of its largest term has lost most of its digits
_NODES = 32  # of the quadrature that replaces such a sum


def bernoulli_kl(p: float, q: float) -> float:
    """The divergence between two Bernoulli laws: p ln(p/q) + (1-p) ln((1-p)/(1-q)).

    Parameters
    ----------
    p, q
        The probabilities of a 1.

    Returns
    -------
    float
        The divergence; infinite if q excludes an outcome that p allows.

    Raises
    ------
    ValueError
        If a probability is outside [0, 1].

    Examples
    --------
    >>> bernoulli_kl(0.5, 0.5), bernoulli_kl(0.5, 1.0)
    (0.0, inf)
    """
    for share in (p, q):
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"a probability must be in [0, 1], got {share}")
    return discrete_kl({0.0: 1.0 - p, 1.0: p}, {0.0: 1.0 - q, 1.0: q})


def discrete_kl(p: Mapping[float, float], q: Mapping[float, float]) -> float:
    """The divergence between two laws with finitely many values.

    Parameters
    ----------
    p, q
        The probability of every value.

    Returns
    -------
    float
        The divergence; infinite if q excludes a value that p allows.

    Examples
    --------
    >>> round(discrete_kl({0.0: 0.5, 1.0: 0.5}, {0.0: 0.25, 1.0: 0.75}), 4)
    0.1438
    """
    total = math.fsum(share for value, share in q.items() if p.get(value, 0.0) <= 0.0)
    for value, share in p.items():
        if share > 0.0:
            other = q.get(value, 0.0)
            if other <= 0.0:
                return math.inf
            total += _term(share, other)
    return total


def _term(p: float, q: float) -> float:
    """What a value adds to a divergence: p times the convex function, also for the least p."""
    if q / p == math.inf:
        return (q - p) - p * (math.log(q) - math.log(p))
    return p * _excess(p, q)


def _excess(p: float, q: float) -> float:
    """The convex function x - ln(1 + x) at x = (q - p) / p, without cancellation near 0.

    A divergence is a sum of these terms: the linear parts of p ln(p/q) add up to the mass that Q
    has outside P's support, and the rest is quadratic in the difference. With r = x / (2 + x),
    ln(1 + x) is 2 (r + r^3/3 + r^5/5 + ...) and x - 2 r is x^2 / (2 + x).
    """
    x = (q - p) / p
    if abs(x) > 0.5:
        return x - math.log(q / p)
    r = x / (2.0 + x)
    square = r * r
    tail = 0.0
    for power in range(39, 1, -2):
        tail = tail * square + 1.0 / power
    return x * x / (2.0 + x) - 2.0 * r * square * tail


def beta_kl(a: float, b: float, c: float, d: float) -> float:
    """The divergence between Beta(a, b) and Beta(c, d).

    It is ln B(c,d)/B(a,b) + (a-c) psi(a) + (b-d) psi(b) + (c-a+d-b) psi(a+b), where psi is the
    digamma function. Where these terms cancel, the equivalent integral of (1 - s) times the second
    derivative of ln B on the line from (a, b) to (c, d) is used, which is free of cancellation.

    Parameters
    ----------
    a, b
        The parameters of the first law.
    c, d
        The parameters of the second law.

    Returns
    -------
    float
        The divergence.

    Examples
    --------
    >>> round(beta_kl(2, 2, 1, 1), 4)
    0.1251
    """
    terms = [
        float(special.betaln(c, d)),
        -float(special.betaln(a, b)),
        (a - c) * special.psi(a),
        (b - d) * special.psi(b),
        (c - a + d - b) * special.psi(a + b),
    ]
    total = math.fsum(terms)
    if total > _CANCELLED * max(map(abs, terms)):
        return total
    places, weights = np.polynomial.legendre.leggauss(_NODES)
    s = (places + 1.0) / 2.0
    bend = (
        (c - a) ** 2 * special.polygamma(1, a + s * (c - a))
        + (d - b) ** 2 * special.polygamma(1, b + s * (d - b))
        - (c - a + d - b) ** 2 * special.polygamma(1, a + b + s * (c - a + d - b))
    )
    return max(0.0, float(np.sum(weights / 2.0 * (1.0 - s) * bend)))


def density_kl(
    p: Callable[[float], float], q: Callable[[float], float], low: float, high: float
) -> float:
    """The divergence between two densities, integrated over the support [low, high] of P."""
    from scipy import integrate  # late: few laws need it, and it is slow to import

    def integrand(x: float) -> float:
        here = p(x)
        return here * math.log(here / q(x)) if here > 0.0 else 0.0

    try:
        total, _ = integrate.quad(integrand, low, high, limit=200)
    except ZeroDivisionError:
        return math.inf
    return max(0.0, float(total))


def divergence(arm: Arm, best: Arm) -> float:
    """The divergence KL(D_i, D_1) between the reward laws of two arms.

    Laws with finitely many values and pairs of Beta laws have closed formulas; other densities are
    integrated numerically.

    Parameters
    ----------
    arm, best
        The two arms of a scenario.

    Returns
    -------
    float
        The divergence; infinite if the second law excludes rewards that the first allows.

    Examples
    --------
    >>> from kcmab_abm import make_scenario
    >>> arms = {"law": "bernoulli", "means": [0.9, 0.5]}
    >>> settings = {"horizon": 10, "market": {"arms": arms}, "policy": [{"name": "ucb"}]}
    >>> best, second = make_scenario(settings).market.arms
    >>> round(divergence(second, best), 4)
    0.5108
    """
    law, other = arm.law, best.law
    if law.atoms is not None and other.atoms is not None:
        return discrete_kl(law.atoms(arm.row), other.atoms(best.row))
    if law.name == other.name == "beta":
        return beta_kl(*arm.row[:2], *best.row[:2])
    if law.density is None or other.density is None:
        return math.inf  # one law has atoms where the other has none
    here, there = law.density, other.density
    low, high = _support(arm), _support(arm, upper=True)
    if low < _support(best) or high > _support(best, upper=True):
        return math.inf
    return density_kl(lambda x: here(x, arm.row), lambda x: there(x, best.row), low, high)


def _support(arm: Arm, upper: bool = False) -> float:
    """The end of an arm's support: its quantile function at 0 or 1."""
    return float(arm.law.reward(1.0 if upper else 0.0, np.array(arm.row)))
