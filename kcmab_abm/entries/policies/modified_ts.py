"""Thompson sampling in rounds of two customers, or more."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.entries.policies.ts import MEMORY, learn, sample
from kcmab_abm.model.book import Book, leader


@policy(
    "modified-ts",
    cites="Algorithm 3",
    learn=learn,
    memory={**MEMORY, "sampled": 1, "waiting": 1},
    free_customers=Parameter(
        1, "customers in a round before the sample; Algorithm 3 has 1", ge=1, le=1000
    ),
)
def choose(book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Rounds of two: the first customer gets the leader, free; the second the posterior sample."""
    if memory.waiting[0] == 1.0:
        memory.waiting[0] = 0.0
        return int(memory.sampled[0])
    if memory.waiting[0] == 0.0:
        memory.sampled[0] = sample(book, memory, rng)
        memory.waiting[0] = params.free_customers + 1.0
    memory.waiting[0] -= 1.0
    return leader(book, rng)
