"""No exploration at all: what customers do when nobody compensates them."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book, leader
from kcmab_abm.catalogue import policy


@policy("greedy", cites="Section 1")
def choose(t: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Always promotes the arm with the best record; never pays, and may lock in a wrong arm."""
    return leader(book, rng)
