"""Random exploration of a random arm, else the best arm net of what it needs (Dogan et al. 2023).

For customers who know what they want, with the pricing rule `consistent-utilities`: both explore on
the same customers, a share min(1, eps / t) of them, if they have the same `epsilon`. What an arm
needs is estimated from all answers, by the middle between the highest offer that was refused and
the lowest that was accepted.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book, highest
from kcmab_abm.model.search import explores, most_needed, narrow


def answered(target: int, offer: float, arm: int, memory: Any) -> None:
    """Narrow down what the target needs."""
    narrow(target, offer, arm == target, memory)


@policy(
    "principal-epsilon-greedy",
    cites="Dogan, Shen and Aswani 2023, repeated principal-agent games",
    answered=answered,
    memory={"low": "arms", "high": most_needed, "index": "arms"},
    epsilon=Parameter(100.0, "exploration constant: customer t explores with prob. eps/t", gt=0.0),
    limit=Parameter(1.0, "most that a customer may have to be paid", gt=0.0, le=100.0),
)
def choose(t: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """With probability min(1, eps/t) promotes a random arm, else the best mean net of its need."""
    if explores(t, params.epsilon):
        return int(rng.random() * len(book.means))
    for arm in range(len(book.means)):
        need = 0.5 * (memory.low[arm] + memory.high[arm])
        memory.index[arm] = book.means[arm] - need
    return highest(memory.index, book, rng)
