"""No exploration, as in a market without compensation."""

from __future__ import annotations

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.model.book import Book, leader


@policy("greedy", cites="Section 1")
def choose(view: Book, rng: Generator) -> int:
    """Always promotes the arm with the best record; never pays, and may lock in a wrong arm."""
    return leader(view, rng)
