"""The Bernoulli divergence, compared with a number and solved for, with few logarithms.

KL(p, q) is the integral of |u - p| / (u (1 - u)) from p to q. As 1 / (u (1 - u)) is convex, its
value at the mean of u under the weight |u - p|, which is p + 2 (q - p) / 3, gives a lower limit,
and its chord from p to q an upper one. Both agree with KL to third order, so they settle most
comparisons.
"""

from __future__ import annotations

import math

CLOSE = 1e-12  # relative; far more than the rounding errors of both limits
NEAR = 1e-9  # a distance of p and q at which rounding decides
SMALL = 1e-6  # a step of Newton's method after which about its square is left
STEPS = 60  # far more than it takes


def divergence(p: float, q: float) -> float:
    """The Bernoulli divergence KL(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)), for 0 < q < 1."""
    left = p * math.log(p / q) if p > 0.0 else 0.0
    right = (1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0
    return left + right


def lower_limit(p: float, q: float) -> float:
    """A number at most KL(p, q), for p from 0 to 1 and 0 < q < 1, p and q different."""
    part = (q - p) * (2.0 / 3.0)
    return 0.5 * (q - p) * (q - p) / ((p + part) * ((1.0 - p) - part))


def excess(p: float, q: float, budget: float) -> float:
    """A number with the sign of KL(p, q) - budget, for 0 < q < 1 and p up to q."""
    gap = q - p
    if p > 0.0 and gap > 0.0:
        square, part = gap * gap, gap * (2.0 / 3.0)
        if square > (2.0 + CLOSE) * budget * (p + part) * ((1.0 - p) - part):
            return 1.0
        here, there = p * (1.0 - p), q * (1.0 - q)
        if square * (there + 2.0 * here) < (6.0 - CLOSE) * budget * here * there:
            return -1.0
    return divergence(p, q) - budget


def root_above(p: float, budget: float) -> float:
    """The largest q >= p with KL(p, q) <= budget, or, because of rounding, a number close to it.

    Newton's method for ln(1 - q), of which the divergence is a convex function: from the first step
    on it approaches the root from above, and q stays below 1. The first guess is where the lower
    limit of the divergence equals the budget.
    """
    if p >= 1.0 or budget <= 0.0:
        return p
    if p <= 0.0:  # (1-p) ln((1-p)/(1-q)) = budget
        return max(p, 1.0 - (1.0 - p) * math.exp(-budget / (1.0 - p)))
    lean = (2.0 / 3.0) * budget * (1.0 - 2.0 * p)
    wide = 1.0 + (8.0 / 9.0) * budget
    room = lean * lean + 2.0 * budget * p * (1.0 - p) * wide
    q = p + (lean + math.sqrt(room)) / wide
    if not p < q < 1.0:
        q = 0.5 * (p + 1.0)
    for _ in range(STEPS):
        if q - p < NEAR:
            break
        rest = math.exp((divergence(p, q) - budget) * q / (q - p)) * (1.0 - q)
        moved = 1.0 - rest
        if not p < moved < 1.0:
            return p if moved <= p else 1.0
        done = abs(moved - q) < SMALL
        q = moved
        if done:
            break
    return q
