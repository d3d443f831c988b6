"""Customers some of whom cannot be bought.

A share of them ignores every offer and takes the arm with the best record; if that arm happens to
carry an offer she is paid all the same. The controller cannot tell who is who, and its exploration
slows down by the share of those who listen.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.behaviours import greedy
from kcmab_abm.book import Book, leader
from kcmab_abm.catalogue import behaviour
from kcmab_abm.entries import Parameter
from kcmab_abm.offers import Board


@behaviour(
    "stubborn",
    cites="loyal customers, as in Narasimhan 1988",
    share=Parameter(0.5, "of customers who ignore offers; 0 is greedy", ge=0.0, le=1.0),
)
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes the arm with the best record, whatever is offered, or else as greedy does."""
    if params.share > 0.0 and rng.random() < params.share:
        return leader(book, rng)
    return greedy.take(t, book, board, memory, params, rng)
