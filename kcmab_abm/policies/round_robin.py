"""Exploration and nothing else."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book
from kcmab_abm.catalogue import policy


@policy("round-robin")
def choose(t: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Promotes every arm in turn, for ever: the dearest way to learn all means equally well."""
    return (t - 1) % len(book.means)
