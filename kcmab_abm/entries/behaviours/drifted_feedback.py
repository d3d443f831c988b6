"""Customers whose reports are biased by payments.

Liu et al. (2020): a customer who took an arm for a payment c reports Y = X + f(c), where f(0) = 0
and f is nondecreasing and Lipschitz. The book holds Y; regret is still measured in X. They prove
that UCB, eps-greedy and Thompson sampling keep regret and compensation of order ln T, because
offers, and therefore drift, are rare.

f is linear, slope * c, or saturates at a `ceiling`: ceiling * (1 - exp(-slope c / ceiling)). Linear
drift is capped at 100, a hundred times the largest reward; otherwise offers and reports could
drive each other to infinity.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.entries.behaviours import greedy
from kcmab_abm.model.arithmetic.elementary import exp
from kcmab_abm.model.book import Book
from kcmab_abm.model.offers import Board

LARGEST = 100.0  # drift
FLAT = 40.0  # times the ceiling: exp(-40) vanishes beside 1


def drift(payment: float, slope: float, ceiling: float) -> float:
    """The drift f(c) that a payment adds to a report."""
    rise = slope * payment
    if ceiling == 0.0:
        return min(LARGEST, rise)
    # The quotient of numbers this far apart could overflow.
    if rise >= FLAT * ceiling:
        return ceiling
    return ceiling * (1.0 - exp(-rise / ceiling))


def report(reward: float, payment: float, params: Any) -> float:
    """The reward plus the drift, at most 1 if reports are clipped; a fee makes no difference."""
    told = reward + drift(max(0.0, payment), params.slope, params.ceiling)
    return min(1.0, told) if params.clip else told


@behaviour(
    "drifted-feedback",
    cites="Liu et al. 2020, exploration under reward drift",
    value=greedy.value,
    report=report,
    slope=Parameter(0.5, "drift per unit paid", ge=0.0, le=100.0, estimated=False),
    ceiling=Parameter(
        0.0,
        "limit at which the drift saturates; 0: linear, up to 100",
        ge=0.0,
        le=LARGEST,
        estimated=False,
    ),
    clip=Parameter(False, "true to cut reports above 1 to 1"),
)
def take(book: Book, board: Board, rng: Generator) -> int:
    """Chooses like greedy; reports the reward plus a drift that grows with the payment."""
    return greedy.take(book, board, rng)
