"""Kullback-Leibler divergences KL(P, Q) = E_P ln(dP/dQ), in natural logarithms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from scipy import special

from kcmab_abm.world import Arm


def bernoulli_kl(p: float, q: float) -> float:
    """KL between coins: p ln(p/q) + (1-p) ln((1-p)/(1-q)), infinite if q rules out what p allows.

    >>> bernoulli_kl(0.5, 0.5), bernoulli_kl(0.5, 1.0)
    (0.0, inf)
    """
    for share in (p, q):
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"a probability must be in [0, 1], got {share}")
    return discrete_kl({0.0: 1.0 - p, 1.0: p}, {0.0: 1.0 - q, 1.0: q})


def discrete_kl(p: Mapping[float, float], q: Mapping[float, float]) -> float:
    """KL between laws with finitely many values, each a mapping from value to probability."""
    total = 0.0
    for value, share in p.items():
        if share > 0.0:
            if q.get(value, 0.0) <= 0.0:
                return math.inf
            total += share * math.log(share / q[value])
    return max(0.0, total)


def beta_kl(a: float, b: float, c: float, d: float) -> float:
    """KL between Beta(a, b) and Beta(c, d).

    ln B(c,d)/B(a,b) + (a-c) psi(a) + (b-d) psi(b) + (c-a+d-b) psi(a+b), psi the digamma function.
    """
    total = (
        special.betaln(c, d)
        - special.betaln(a, b)
        + (a - c) * special.psi(a)
        + (b - d) * special.psi(b)
        + (c - a + d - b) * special.psi(a + b)
    )
    return max(0.0, float(total))


def density_kl(
    p: Callable[[float], float], q: Callable[[float], float], low: float, high: float
) -> float:
    """KL between laws with densities, integrated numerically over the support [low, high] of P."""
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
    """KL(D_i, D_1) for two arms of any laws, closed where a formula is known."""
    law, other = arm.law, best.law
    if law.atoms is not None and other.atoms is not None:
        return discrete_kl(law.atoms(arm.row), other.atoms(best.row))
    if law.name == other.name == "beta":
        return beta_kl(*arm.row, *best.row)
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
