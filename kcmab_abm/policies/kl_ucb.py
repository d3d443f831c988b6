"""Upper confidence bounds that fit the Bernoulli divergence."""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book, highest
from kcmab_abm.catalogue import policy
from kcmab_abm.entries import Parameter

HALVINGS = 30  # the bound is then known to 1e-9


def divergence(p: float, q: float) -> float:
    """The Bernoulli divergence KL(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)), for 0 < q < 1."""
    left = p * math.log(p / q) if p > 0.0 else 0.0
    right = (1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0
    return left + right


def upper_bound(mean: float, budget: float) -> float:
    """The largest q >= mean with KL(mean, q) <= budget, by bisection."""
    low = mean
    high = 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle >= 1.0 or divergence(mean, middle) > budget:
            high = middle
        else:
            low = middle
    return low


@policy(
    "kl-ucb",
    cites="Garivier and Cappe 2011",
    memory={"index": "arms"},
    c=Parameter(0.0, "weight of ln ln t; 3 in the analysis, 0 in practice", ge=0.0, le=10.0),
)
def choose(t: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Promotes the arm with the highest q such that N_i KL(m_i, q) <= ln t + c ln ln t.

    An arm whose divergence from the best bound so far exceeds its budget cannot win, and is spared
    the bisection.
    """
    budget = math.log(t)
    if t >= 3:
        budget += params.c * math.log(math.log(t))
    best = -1.0
    for arm in range(len(book.means)):
        mean = book.means[arm]
        share = budget / book.pulls[arm]
        if mean < best < 1.0 and divergence(mean, best) > share:
            memory.index[arm] = -1.0
        else:
            memory.index[arm] = upper_bound(mean, share)
            best = max(best, memory.index[arm])
    return highest(memory.index, book, rng)
