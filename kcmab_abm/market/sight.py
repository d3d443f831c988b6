"""What a customer sees who reads the board."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.book import Book
from kcmab_abm.market.visit import Visit
from kcmab_abm.offers import Board


class Sight(NamedTuple):
    """The records of all arms and what is offered for them, as one customer finds them.

    `target` is the arm that the controller promotes (-1: there is nobody to promote one to);
    `seeded` says that she is simply sent there, because some arm has no report yet.
    """

    pulls: NDArray[np.int64]
    means: NDArray[np.float64]
    offers: NDArray[np.float64]
    target: int
    seeded: bool


def sight_of(visit: Visit, book: Book) -> Sight:
    """What this customer sees, once the controller has posted an offer for her."""
    board: Board = visit.posted.value  # type: ignore[assignment]
    offers = board.offers.copy()
    return Sight(book.pulls.copy(), book.means.copy(), offers, visit.target, visit.seeded)


def last_sight(book: Book) -> Sight:
    """The records when the market is over: nobody comes, nothing is offered."""
    return Sight(book.pulls.copy(), book.means.copy(), np.zeros(len(book.means)), -1, False)
