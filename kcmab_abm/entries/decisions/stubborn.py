"""Ignore offers, sometimes.

A share of the customers ignores every offer and takes the arm that she values most; if that arm
carries an offer, she is paid all the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import decision
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book, highest
from kcmab_abm.model.offers import Board, best_deal

Floats = NDArray[np.float64]


@decision(
    "stubborn",
    cites="loyal customers, as in Narasimhan 1988",
    share=Parameter(0.5, "share of customers who ignore offers; 0 is greedy", ge=0.0, le=1.0),
)
def decide(book: Book, board: Board, relative: Floats, params: Any, rng: Generator) -> int:
    """Takes the arm that she values most whatever is offered, or else the best deal."""
    if params.share > 0.0 and rng.random() < params.share:
        return highest(relative, book, rng)
    return best_deal(relative, 1.0, book, board, rng)
