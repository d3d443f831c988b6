"""The paper's customer: short-sighted, and willing when it costs her nothing.

She believes the record and takes the best deal of the day, argmax_i m_i + c_i. Left alone she never
explores: an arm with a bad start is never tried again, which is why the controller has to pay. The
least offer, max_j m_j - m_i, leaves her exactly indifferent (Fact 1), and she then does what the
controller asks.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book, best_mean, leader
from kcmab_abm.catalogue import behaviour
from kcmab_abm.offers import Board, best_deal


@behaviour("greedy", cites="Section 2, Fact 1")
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes argmax_i m_i + c_i; when indifferent, the arm that the controller targets.

    The rule is exact: she takes the target if its offer covers what she gives up, that is
    c >= max_j m_j - m_target, in floating point and with no tolerance. The least offer is computed
    by the same subtraction and so is never refused.
    """
    if board.rivals:
        return best_deal(book.means, 1.0, book, board, rng)
    if board.offers[board.target] >= best_mean(book) - book.means[board.target]:
        return board.target
    return leader(book, rng)
