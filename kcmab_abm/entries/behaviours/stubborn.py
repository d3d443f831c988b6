"""Customers some of whom ignore offers.

A share of them ignores every offer and takes the arm with the best record; if that arm carries an
offer, she is paid all the same. The controller cannot tell them apart, so its exploration slows
down in proportion.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.entries.decisions import stubborn
from kcmab_abm.model.book import Book
from kcmab_abm.model.offers import Board


@behaviour(
    "stubborn",
    cites="loyal customers, as in Narasimhan 1988",
    share=Parameter(0.5, "share of customers who ignore offers; 0 is greedy", ge=0.0, le=1.0),
)
def take(book: Book, board: Board, params: Any, rng: Generator) -> int:
    """Takes the arm with the best record whatever is offered, or else chooses like greedy."""
    return stubborn.decide(book, board, book.means, params, rng)
