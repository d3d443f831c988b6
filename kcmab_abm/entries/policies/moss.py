"""Upper confidence bounds for the worst market of a given horizon (Audibert and Bubeck 2009).

MOSS counts on at most T / N customers for each arm. Proved: regret of order sqrt(N T) in the worst
market, without the factor sqrt(ln T) of other confidence bounds, and of order ln T in each market,
though not with the smallest slope. It has to know T. An arm with T / N reports has no bonus left
and is promoted on its record alone, so that single runs may lose much more than the mean (Lattimore
and Szepesvari 2020, section 9.2). The index of an arm changes only with its own reports.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.model.book import Book, highest


@policy(
    "moss",
    cites="Audibert and Bubeck 2009",
    memory={"index": "arms", "pulls": "arms"},
)
def choose(horizon: int, book: Book, memory: Any, rng: Generator) -> int:
    """Promotes the highest m_i + sqrt(max(0, ln(T / (N N_i))) / N_i), N the number of arms."""
    arms = len(book.means)
    for arm in range(arms):
        pulls = int(book.pulls[arm])
        if pulls != memory.pulls[arm]:
            bonus = math.log(max(1.0, horizon / (arms * pulls)))
            memory.index[arm] = book.means[arm] + math.sqrt(bonus / pulls)
            memory.pulls[arm] = pulls
    return highest(memory.index, book, rng)
