"""Take the best deal: the arm with the highest value and offer together."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import decision
from kcmab_abm.model.book import Book
from kcmab_abm.model.offers import Board, best_deal

Floats = NDArray[np.float64]


@decision("greedy", cites="Section 2, Fact 1")
def decide(book: Book, board: Board, relative: Floats, rng: Generator) -> int:
    """Takes argmax_i v_i + c_i; when indifferent, the arm that the controller targets."""
    return best_deal(relative, 1.0, book, board, rng)
