"""Thompson sampling in rounds of two customers."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book, leader
from kcmab_abm.catalogue import policy
from kcmab_abm.policies.ts import MEMORY, learn, sample


@policy(
    "modified-ts",
    cites="Algorithm 3",
    learn=learn,
    memory={**MEMORY, "sampled": 1, "waiting": 1},
)
def choose(t: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Rounds of two: the first customer gets the leader, free; the second the posterior sample."""
    if memory.waiting[0] == 1.0:
        memory.waiting[0] = 0.0
        return int(memory.sampled[0])
    memory.sampled[0] = sample(book, memory, rng)
    memory.waiting[0] = 1.0
    return leader(book, rng)
