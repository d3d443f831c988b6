"""Upper confidence bounds over a window of recent reports."""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book, highest


def learn(arm: int, reward: float, memory: Any, params: Any) -> None:
    """Replace the oldest report in the window by the new one."""
    place = int(memory.seen[0]) % params.window
    if memory.seen[0] >= params.window:
        old = int(memory.arm[place])
        memory.pulls[old] -= 1.0
        memory.total[old] -= memory.reward[place]
    memory.arm[place] = arm
    memory.reward[place] = reward
    memory.pulls[arm] += 1.0
    memory.total[arm] += reward
    memory.seen[0] += 1.0


def upper_bound(total: float, pulls: float, scale: float) -> float:
    """The mean plus the confidence width; infinite for an arm without reports in the window."""
    return total / pulls + scale / math.sqrt(pulls) if pulls > 0.0 else math.inf


@policy(
    "sliding-window-ucb",
    cites="Garivier and Moulines 2011",
    learn=learn,
    memory={
        "arm": "window",
        "reward": "window",
        "seen": 1,
        "pulls": "arms",
        "total": "arms",
        "index": "arms",
    },
    window=Parameter(1000, "reports that are remembered, of all arms together", ge=1, le=10**6),
    xi=Parameter(0.6, "weight of the confidence bound; theirs is above 1/2", gt=0.0, le=100.0),
)
def choose(t: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Promotes the highest upper confidence bound over the last `window` reports.

    The bound is m_i + sqrt(xi ln min(t, window) / n_i) with mean m_i and count n_i in the window;
    an arm without reports in the window comes first.
    """
    scale = math.sqrt(params.xi * math.log(min(t, params.window)))
    for arm in range(len(book.means)):
        memory.index[arm] = upper_bound(memory.total[arm], memory.pulls[arm], scale)
    return highest(memory.index, book, rng)
