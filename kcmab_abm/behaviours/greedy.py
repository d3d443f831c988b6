"""The paper's customer: short-sighted, and willing when it costs her nothing."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book, best_mean
from kcmab_abm.catalogue import behaviour
from kcmab_abm.offers import Board


def best_rival(book: Book, board: Board) -> float:
    """The most that the customer can have without the offer on the target."""
    best = book.means[board.target]
    for arm in range(len(book.means)):
        if arm != board.target and book.means[arm] + board.offers[arm] > best:
            best = book.means[arm] + board.offers[arm]
    return float(best)


def draw_rival(book: Book, board: Board, best: float, rng: Generator) -> int:
    """One of the arms that are worth `best`, the target apart; each with the same chance."""
    tied = 0
    for arm in range(len(book.means)):
        if arm != board.target and book.means[arm] + board.offers[arm] == best:
            tied += 1
    skip = 0 if tied == 1 or book.first_ties else int(rng.random() * tied)
    for arm in range(len(book.means)):
        if arm != board.target and book.means[arm] + board.offers[arm] == best:
            if skip == 0:
                return arm
            skip -= 1
    return board.target


@behaviour("greedy", cites="Section 2, Fact 1")
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes argmax_i m_i + c_i; when indifferent, the arm that the controller targets.

    The rule is exact: she takes the target if its offer covers what she gives up, that is
    c >= max_j (m_j + c_j) - m_target over the other arms j, in floating point and with no
    tolerance. The least offer is computed by the same subtraction and so is never refused.
    """
    best = best_rival(book, board) if board.rivals else best_mean(book)
    if board.offers[board.target] >= best - book.means[board.target]:
        return board.target
    return draw_rival(book, board, best, rng)
