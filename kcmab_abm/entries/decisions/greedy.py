"""Take the best deal: the arm with the highest value and offer together."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import decision
from kcmab_abm.model.book import Book, first_highest
from kcmab_abm.model.offers import Board, best_deal, surplus

Floats = NDArray[np.float64]


def chances(book: Book, board: Board, relative: Floats, chances: Floats) -> None:
    """Fill in 1 for the arm that she takes, or equal chances where a tie is broken at random."""
    first, _ = first_highest(relative)
    best = float(relative[first])
    for arm in range(len(relative)):
        chances[arm] = surplus(float(relative[arm]), float(board.offers[arm]), best)
    taken, tied = first_highest(chances)
    top = chances[taken]
    if chances[board.target] == top:
        taken, tied = board.target, 1
    if tied == 1 or book.first_ties:
        for arm in range(len(relative)):
            chances[arm] = 1.0 if arm == taken else 0.0
        return
    for arm in range(len(relative)):
        chances[arm] = 1.0 / tied if chances[arm] == top else 0.0


@decision("greedy", cites="Section 2, Fact 1", chances=chances)
def decide(book: Book, board: Board, relative: Floats, rng: Generator) -> int:
    """Takes argmax_i v_i + c_i; when indifferent, the arm that the controller targets."""
    return best_deal(relative, 1.0, book, board, rng)
