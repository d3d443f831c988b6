"""Leave if nothing is good enough.

Market entry: a customer has an outside option worth u_0 (`worth`) and leaves when
max_i v_i + c_i < u_0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import decision
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book, first_highest
from kcmab_abm.model.offers import Board, best_deal, surplus

Floats = NDArray[np.float64]


@decision(
    "outside-option",
    cites="market entry, as in Bresnahan and Reiss 1991",
    worth=Parameter(0.3, "value of her outside option; 0 is greedy", ge=0.0, le=100.0),
)
def decide(
    book: Book, board: Board, values: Floats, relative: Floats, params: Any, rng: Generator
) -> int:
    """Takes the best deal, but leaves if that is worth less than her outside option."""
    arm = best_deal(relative, 1.0, book, board, rng)
    first, _ = first_highest(relative)
    gain = surplus(float(relative[arm]), float(board.offers[arm]), float(relative[first]))
    return arm if gain >= params.worth - float(values[first]) else -1
