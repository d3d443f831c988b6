"""Random exploration of the arms in turn."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book, leader


@policy(
    "modified-epsilon-greedy",
    cites="Algorithm 2",
    memory={"turn": 1},
    epsilon=Parameter(20.0, "exploration constant: customer t explores with prob. eps/t", gt=0.0),
)
def choose(t: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """With probability min(1, eps/t) promotes the next arm of a round robin, else the leader."""
    if rng.random() * t < params.epsilon:
        arm = int(memory.turn[0])
        memory.turn[0] = (arm + 1) % len(book.means)
        return arm
    return leader(book, rng)
