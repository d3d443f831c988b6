"""Customers whose reports are coloured by what they were paid.

Liu et al. (2020) let the feedback drift: a customer who took an arm for a
payment c reports Y = X + f(c), with f(0) = 0, f nondecreasing and Lipschitz. The book, and all who
read it, then hold Y; the reward that counts for regret is still X. Their theorems say that UCB,
eps-greedy and Thompson sampling keep regret and compensation of order ln T all the same: the offers
are rare, and so is the drift.

f is linear, slope * c, or with a `ceiling` saturating, ceiling * (1 - exp(-slope c / ceiling)).
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.behaviours import greedy
from kcmab_abm.book import Book
from kcmab_abm.catalogue import behaviour
from kcmab_abm.entries import Parameter
from kcmab_abm.offers import Board


def drift(payment: float, slope: float, ceiling: float) -> float:
    """What a payment adds to a report, f(c)."""
    if ceiling > 0.0:
        return ceiling * (1.0 - math.exp(-slope * payment / ceiling))
    return slope * payment


def report(reward: float, payment: float, memory: Any, params: Any, rng: Generator) -> float:
    """The reward and the drift, cut to [0, 1] if asked for."""
    told = reward + drift(payment, params.slope, params.ceiling)
    return min(1.0, told) if params.clip else told


@behaviour(
    "drifted-feedback",
    cites="Liu et al. 2020, exploration under reward drift",
    report=report,
    slope=Parameter(0.5, "drift for each unit paid", ge=0.0, le=100.0),
    ceiling=Parameter(0.0, "the most that a report can drift; 0 for no ceiling", ge=0.0, le=100.0),
    clip=Parameter(False, "whether reports above 1 are cut to 1"),
)
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Chooses as greedy does; reports the reward and something for the payment."""
    return greedy.take(t, book, board, memory, params, rng)
