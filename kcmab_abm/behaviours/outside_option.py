"""Customers who leave when nothing is good enough.

Market entry: a customer has something else to do that is worth `worth` to her, u_0, and walks away
when max_i m_i + c_i < u_0. A market whose record turns bad then stays empty: nobody comes in whose
report could mend it, unless the controller pays for that.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.behaviours import greedy
from kcmab_abm.book import Book, best_mean
from kcmab_abm.catalogue import behaviour
from kcmab_abm.entries import Parameter
from kcmab_abm.offers import Board, surplus


@behaviour(
    "outside-option",
    cites="market entry, as in Bresnahan and Reiss 1991",
    worth=Parameter(0.3, "what she has elsewhere; 0 is greedy", ge=0.0, le=100.0),
)
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes what greedy takes, and leaves if it is worth less than what she has elsewhere."""
    arm = greedy.take(t, book, board, memory, params, rng)
    best = best_mean(book)
    gain = surplus(float(book.means[arm]), float(board.offers[arm]), best)
    return arm if gain >= params.worth - best else -1
