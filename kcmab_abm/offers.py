"""What the controller pays, and the board on which the offer is posted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.book import Book, best_mean


class Board(NamedTuple):
    """What the customer finds posted: the arm the controller targets and an offer for every arm.

    `rivals` is set when an arm other than the target carries an offer too.
    """

    target: int
    offers: NDArray[np.float64]
    rivals: bool


def least_offer(book: Book, arm: int) -> float:
    """The least compensation that makes a greedy customer take `arm` (Fact 1): max_j m_j - m_arm.

    It leaves her exactly indifferent. Customers judge it by the same subtraction, so that no
    rounding can make them refuse what is owed: m + (max - m) may round to less than max, while
    max - m always equals itself.
    """
    return float(best_mean(book) - book.means[arm])
