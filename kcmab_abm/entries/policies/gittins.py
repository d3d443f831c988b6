"""The Gittins index in closed form, for the customers that are still to come.

Brezzi and Lai approximate the index of an arm, which a bandit with discounted rewards promotes if
it is the highest, by its posterior mean plus psi(s) posterior standard deviations. Here the
discounted future is replaced by the customers to come, T - t + 1, so that exploration fades out
towards the end: the policy has to know the horizon.

`textbook_choose` is the algorithm. `choose` promotes the same arms but computes few indices: those
of arms without new reports fall (except that psi jumps), so an old one is a limit for later ones.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.model.book import Book, highest
from kcmab_abm.model.favourite import FAVOURITE, prefer, reconsider


def psi(s: float) -> float:
    """The function of Brezzi and Lai (2002): standard deviations that an index exceeds the mean."""
    if s <= 0.2:
        return math.sqrt(0.5 * s)
    if s <= 1.0:
        return 0.49 - 0.11 / math.sqrt(s)
    if s <= 5.0:
        return 0.63 - 0.26 / math.sqrt(s)
    if s <= 15.0:
        return 0.77 - 0.58 / math.sqrt(s)
    log = math.log(s)
    return math.sqrt(2.0 * log - math.log(log) - LOG_16_PI)


LOG_16_PI = math.log(16.0 * math.pi)


def deviation(total: float, pulls: float) -> float:
    """The standard deviation of the posterior Beta(1 + total, 1 + pulls - total)."""
    mean = (1.0 + total) / (pulls + 2.0)
    return math.sqrt(max(0.0, mean * (1.0 - mean)) / (pulls + 3.0))


def gittins_index(total: float, pulls: float, customers: float) -> float:
    """The index of an arm with so many reports that pay `total`, for so many customers to come."""
    mean = (1.0 + total) / (pulls + 2.0)
    return mean + deviation(total, pulls) * psi(customers / (pulls + 3.0))


def textbook_choose(t: int, horizon: int, book: Book, memory: Any, rng: Generator) -> int:
    """Promotes the arm with the highest index."""
    for arm in range(len(book.means)):
        memory.index[arm] = gittins_index(book.totals[arm], book.pulls[arm], horizon - t + 1)
    return highest(memory.index, book, rng)


JUMP = 0.08  # where its pieces meet, at 0.2, 1 and 5, psi falls by 0.073, 0.01 and 0.004
SLACK = 1e-12  # more than the rounding errors of an index


@policy(
    "gittins",
    cites="Gittins 1979; Brezzi and Lai 2002",
    learn=reconsider,
    memory=FAVOURITE,
)
def choose(t: int, horizon: int, book: Book, memory: Any, rng: Generator) -> int:
    """Promotes the highest p + sqrt(p (1-p) / (n+3)) psi((T-t+1) / (n+3)), p the posterior mean."""
    customers = horizon - t + 1
    first = int(memory.favourite[0])
    index = gittins_index(float(book.totals[first]), int(book.pulls[first]), customers)
    if index > memory.limit[0]:
        return first
    best = -math.inf
    for place in range(len(book.means)):
        arm = (first + place) % len(book.means)
        memory.index[arm] = -math.inf
        if memory.high[arm] >= best:
            total, pulls = float(book.totals[arm]), int(book.pulls[arm])
            index = gittins_index(total, pulls, customers)
            rise = JUMP * deviation(total, pulls) if customers < 6 * (pulls + 3) else 0.0
            memory.index[arm] = index
            memory.high[arm] = index + rise + SLACK * (1.0 + abs(index))
            best = max(best, index)
    favourite = highest(memory.index, book, rng)
    prefer(favourite, memory)
    return favourite
