"""The paper's customer: myopic, and compliant when indifferent.

She trusts the book and takes argmax_i m_i + c_i. Unpaid, she never explores: an arm with a bad
start is never tried again, which is why the controller has to pay. The least offer,
max_j m_j - m_i, leaves her exactly indifferent (Fact 1), and she then takes the target.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.model.book import Book, best_mean, leader
from kcmab_abm.model.offers import Board, best_deal


def value(book: Book, values: NDArray[np.float64]) -> None:
    """Believes the record: arm i is worth m_i."""
    for arm in range(len(values)):
        values[arm] = book.means[arm]


@behaviour("greedy", cites="Section 2, Fact 1", value=value)
def take(book: Book, board: Board, rng: Generator) -> int:
    """Takes argmax_i m_i + c_i; when indifferent, the arm that the controller targets.

    She takes the target if its offer covers her loss, c >= max_j m_j - m_target, in floating point
    and without tolerance. The least offer is computed by the same subtraction, so it is never
    refused.
    """
    if board.rivals:
        return best_deal(book.means, 1.0, book, board, rng)
    if board.offers[board.target] >= best_mean(book) - book.means[board.target]:
        return board.target
    return leader(book, rng)
