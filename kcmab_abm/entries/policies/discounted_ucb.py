"""Upper confidence bounds that discount old reports."""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.entries.policies.sliding_window_ucb import upper_bound
from kcmab_abm.model.book import Book, highest


def learn(arm: int, reward: float, book: Book, memory: Any, params: Any) -> None:
    """Discount all earlier reports, then add the new one."""
    for each in range(len(book.means)):
        memory.pulls[each] *= params.gamma
        memory.total[each] *= params.gamma
    memory.pulls[arm] += 1.0
    memory.total[arm] += reward


@policy(
    "discounted-ucb",
    cites="Kocsis and Szepesvari 2006; Garivier and Moulines 2011",
    learn=learn,
    memory={"pulls": "arms", "total": "arms", "index": "arms"},
    gamma=Parameter(0.999, "weight of a report for each one that came later", gt=0.0, le=1.0),
    xi=Parameter(0.6, "weight of the confidence bound; theirs is above 1/2", gt=0.0, le=100.0),
)
def choose(book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Promotes the highest m_i + 2 sqrt(xi ln n / n_i), all of it discounted; n sums the n_i."""
    total = 0.0
    for arm in range(len(book.means)):
        total += memory.pulls[arm]
    scale = 2.0 * math.sqrt(params.xi * math.log(max(1.0, total)))
    for arm in range(len(book.means)):
        memory.index[arm] = upper_bound(memory.total[arm], memory.pulls[arm], scale)
    return highest(memory.index, book, rng)
