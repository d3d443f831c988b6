"""Upper confidence bounds."""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book, highest
from kcmab_abm.catalogue import policy


def learn(arm: int, reward: float, book: Book, memory: Any, params: Any, rng: Generator) -> None:
    """Keep 1 / sqrt(N_i): it changes for the arm just pulled only."""
    memory.width[arm] = 1.0 / math.sqrt(book.pulls[arm])


@policy(
    "ucb",
    cites="Algorithm 1; Auer, Cesa-Bianchi and Fischer 2002",
    learn=learn,
    memory={"width": "arms", "index": "arms"},
)
def choose(t: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Promotes the arm with the highest upper confidence bound, m_i + sqrt(2 ln t / N_i)."""
    scale = math.sqrt(2.0 * math.log(t))
    means, width, index = book.means, memory.width, memory.index
    for arm in range(len(means)):
        index[arm] = means[arm] + scale * width[arm]
    return highest(index, book, rng)
