"""Stay with the arm of the customer before, unless another is clearly better.

Switching costs: the customer takes the arm that the last customer took, unless the best deal beats
it by more than `threshold`. With a threshold of 0 she is greedy, except that she stays where two
arms are equally good; a large one makes the market follow its first choice for ever.
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
    "loyal",
    cites="switching costs, as in Klemperer 1987",
    memory={"last": 1},  # the arm last taken and 1, or 0
    threshold=Parameter(0.1, "advantage that makes her switch", ge=0.0, le=100.0),
)
def decide(
    book: Book, board: Board, relative: Floats, memory: Any, params: Any, rng: Generator
) -> int:
    """Takes the arm of the customer before, unless the best deal is better by a threshold."""
    arm = best_deal(relative, 1.0, book, board, rng)
    last = int(memory.last[0]) - 1
    if last >= 0 and last != arm:
        first, _ = first_highest(relative)
        best = float(relative[first])
        gain = surplus(float(relative[arm]), float(board.offers[arm]), best)
        kept = surplus(float(relative[last]), float(board.offers[last]), best)
        if gain - kept <= params.threshold:
            arm = last
    memory.last[0] = arm + 1.0
    return arm
