"""Upper confidence bounds (Algorithm 1).

`textbook_choose` is the algorithm. `choose` promotes the same arms but computes all bounds only for
about one customer in five: the bounds of arms that are not pulled grow like sqrt(2 ln t), so slowly
that computing them once suffices for many customers. Each computation gives a favourite, and a
limit that no other arm's bound will exceed during the next `AHEAD` customers. As long as the
favourite's bound exceeds the limit, it is promoted.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.model.book import Book, highest


def textbook_choose(t: int, book: Book, memory: Any, rng: Generator) -> int:
    """Promotes the arm with the highest upper confidence bound, m_i + sqrt(2 ln t / N_i)."""
    for arm in range(len(book.means)):
        width = 1.0 / math.sqrt(book.pulls[arm])
        memory.index[arm] = book.means[arm] + math.sqrt(2.0 * math.log(t)) * width
    return highest(memory.index, book, rng)


AHEAD = 16  # customers; with more the limit is too high, with fewer it saves little
SLACK = 1e-9  # far more than the rounding errors of a bound


def learn(arm: int, book: Book, memory: Any) -> None:
    """Update 1 / sqrt(N_i) of this arm, and the limit if it is not the favourite."""
    width = 1.0 / math.sqrt(book.pulls[arm])
    memory.width[arm] = width
    if arm != memory.favourite[0]:
        limit = lifted(float(book.means[arm]) + float(memory.high[0]) * width)
        memory.limit[0] = max(float(memory.limit[0]), limit)


@policy(
    "ucb",
    cites="Algorithm 1; Auer, Cesa-Bianchi and Fischer 2002",
    learn=learn,
    memory={
        "width": "arms",
        "index": "arms",
        "favourite": 1,
        "limit": 1,
        "until": 1,
        "low": 1,
        "high": 1,
    },
)
def choose(t: int, book: Book, memory: Any, rng: Generator) -> int:
    """Promotes the arm with the highest upper confidence bound, m_i + sqrt(2 ln t / N_i)."""
    if 0.0 <= float(memory.until[0]) - t <= AHEAD:
        favourite = int(memory.favourite[0])
        least = float(book.means[favourite]) + float(memory.low[0]) * float(memory.width[favourite])
        if least > memory.limit[0]:
            return favourite
    return look(t, book, memory, rng)


def look(t: int, book: Book, memory: Any, rng: Generator) -> int:
    """Compute all bounds, and the limit for those of the other arms."""
    scale = math.sqrt(2.0 * math.log(t))
    # The root of the logarithm is concave: it stays below its tangent.
    high = scale + AHEAD / (t * scale) if t > 1 else math.inf
    means, width, index = book.means, memory.width, memory.index
    for arm in range(len(means)):
        index[arm] = means[arm] + scale * width[arm]
    favourite = highest(index, book, rng)
    if favourite == memory.favourite[0]:  # a limit does not pay off for a new favourite
        limit = 0.0
        for arm in range(len(means)):
            if arm != favourite:
                limit = max(limit, float(means[arm]) + high * float(width[arm]))
        memory.limit[0] = lifted(limit)
        memory.until[0] = t + AHEAD
        memory.low[0] = scale
        memory.high[0] = high
    else:
        memory.until[0] = 0.0
    memory.favourite[0] = favourite
    return favourite


def lifted(limit: float) -> float:
    """The limit, raised by more than rounding errors."""
    return limit + SLACK * (1.0 + abs(limit))
