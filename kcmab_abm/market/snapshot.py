"""What a customer sees when she reads the board."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.market.visit import Visit
from kcmab_abm.model.book import Book
from kcmab_abm.model.offers import Board


class Snapshot(NamedTuple):
    """The records of all arms and the offers for them, as one customer sees them.

    `target` is the arm that the controller promotes, -1 after the last customer; `seeded` is True
    if she is directed to it because some arm has no report yet.
    """

    pulls: NDArray[np.int64]
    means: NDArray[np.float64]
    offers: NDArray[np.float64]
    target: int
    seeded: bool


def snapshot_for(visit: Visit, book: Book) -> Snapshot:
    """The snapshot for a customer, once the controller has posted an offer for her."""
    board: Board = visit.posted.value  # type: ignore[assignment]
    offers = board.offers.copy()
    return Snapshot(book.pulls.copy(), book.means.copy(), offers, visit.target, visit.seeded)


def final_snapshot(book: Book) -> Snapshot:
    """The records after the last customer; nothing is offered."""
    return Snapshot(book.pulls.copy(), book.means.copy(), np.zeros(len(book.means)), -1, False)
