"""Upper confidence bounds, looked through only when the highest may have changed.

The bounds of arms that nobody pulls creep up with sqrt(2 ln t), so slowly that one look at all of
them settles many customers. It leaves a favourite, and a limit that no rival's bound will exceed
during the next `AHEAD` customers. While the favourite's bound is above it, nothing else counts.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book, highest
from kcmab_abm.catalogue import policy

AHEAD = 16  # customers; for more of them the limit is too high, for fewer it is hardly worth it
SLACK = 1e-9  # far more than rounding can do to a bound


def learn(arm: int, reward: float, book: Book, memory: Any, params: Any, rng: Generator) -> None:
    """Keep 1 / sqrt(N_i), which changes for this arm only; a rival's bound may lift the limit."""
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
def choose(t: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Promotes the arm with the highest upper confidence bound, m_i + sqrt(2 ln t / N_i)."""
    if 0.0 <= float(memory.until[0]) - t <= AHEAD:
        favourite = int(memory.favourite[0])
        least = float(book.means[favourite]) + float(memory.low[0]) * float(memory.width[favourite])
        if least > memory.limit[0]:
            return favourite
    return look(t, book, memory, rng)


def look(t: int, book: Book, memory: Any, rng: Generator) -> int:
    """Compute all bounds, and the limit for those of the rivals."""
    scale = math.sqrt(2.0 * math.log(t))
    # The root of the logarithm is concave: it stays below its tangent.
    high = scale + AHEAD / (t * scale) if t > 1 else math.inf
    means, width, index = book.means, memory.width, memory.index
    for arm in range(len(means)):
        index[arm] = means[arm] + scale * width[arm]
    favourite = highest(index, book, rng)
    if favourite == memory.favourite[0]:  # a favourite of one customer is not worth a limit
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
    """A limit that rounding cannot reach."""
    return limit + SLACK * (1.0 + abs(limit))
