"""Indexed minimum empirical divergence (Honda and Takemura 2015).

The index of an arm is the evidence of its record against its being as good as the best record, plus
the logarithm of its reports. The arm with the least index is promoted: one whose inferiority is
least established.

`textbook_choose` is the algorithm. `choose` promotes the same arms but computes few divergences:
they are convex in the best record, so a tangent that was computed once stays below them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.model.book import Book, best_mean, highest
from kcmab_abm.model.divergence import divergence


def imed_index(mean: float, pulls: int, best: float) -> float:
    """N KL(m, best) + ln N; infinite for an arm that failed once beside one that never did."""
    if mean >= best:
        return math.log(pulls)
    if best >= 1.0:
        return math.inf
    return pulls * divergence(mean, best) + math.log(pulls)


def textbook_choose(book: Book, memory: Any, rng: Generator) -> int:
    """Promotes the arm with the least N_i KL(m_i, max m) + ln N_i."""
    best = best_mean(book)
    for arm in range(len(book.means)):
        memory.index[arm] = -imed_index(book.means[arm], book.pulls[arm], best)
    return highest(memory.index, book, rng)


SLACK = 1e-9  # far more than the rounding errors of an index


def unknown(arms: int, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """No tangent: everything is above minus infinity."""
    return np.full(arms, -math.inf)


def learn(arm: int, memory: Any) -> None:
    """The tangent of this arm holds no longer."""
    memory.base[arm] = -math.inf
    memory.slope[arm] = 0.0


@policy(
    "imed",
    cites="Honda and Takemura 2015",
    learn=learn,
    memory={"index": "arms", "base": unknown, "slope": "arms"},
)
def choose(book: Book, memory: Any, rng: Generator) -> int:
    """Promotes the arm with the least N_i KL(m_i, max m) + ln N_i."""
    best = best_mean(book)
    least = math.log(book.pulls[book.top[0]])
    for arm in range(len(book.means)):
        memory.index[arm] = -math.inf
        if memory.base[arm] + memory.slope[arm] * best <= least + SLACK * (1.0 + least):
            mean, pulls = float(book.means[arm]), int(book.pulls[arm])
            index = imed_index(mean, pulls, best)
            memory.index[arm] = -index
            least = min(least, index)
            if 0.0 <= mean < best < 1.0:
                slope = pulls * (best - mean) / (best * (1.0 - best))
                memory.slope[arm] = slope
                memory.base[arm] = index - slope * best
    return highest(memory.index, book, rng)
