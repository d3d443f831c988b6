"""Random exploration of a random arm."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book, leader


@policy(
    "epsilon-greedy",
    cites="Auer, Cesa-Bianchi and Fischer 2002",
    epsilon=Parameter(20.0, "exploration constant: customer t explores with prob. eps/t", gt=0.0),
)
def choose(t: int, book: Book, params: Any, rng: Generator) -> int:
    """With probability min(1, eps/t) promotes an arm drawn at random, else the leader."""
    if rng.random() * t < params.epsilon:
        return int(rng.random() * len(book.means))
    return leader(book, rng)
