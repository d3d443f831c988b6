"""Customers with an outside option.

Market entry: a customer has an outside option worth u_0 (`worth`) and leaves when
max_i m_i + c_i < u_0. A market whose record turns bad then stays empty, because nobody enters whose
report could improve it, unless the controller pays.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.entries.decisions import outside_option
from kcmab_abm.model.book import Book
from kcmab_abm.model.offers import Board


@behaviour(
    "outside-option",
    cites="market entry, as in Bresnahan and Reiss 1991",
    worth=Parameter(0.3, "value of her outside option; 0 is greedy", ge=0.0, le=100.0),
)
def take(book: Book, board: Board, params: Any, rng: Generator) -> int:
    """Chooses like greedy, but leaves if that is worth less than her outside option."""
    return outside_option.decide(book, board, book.means, book.means, params, rng)
