"""Customers who give the benefit of the doubt, or do not.

Customer t values arm i at m_i + kappa / sqrt(N_i): an optimist (kappa > 0) likes what few have
tried, a pessimist (kappa < 0) shuns it. Banihashem, Hajiaghayi, Shin and Slivkins (2023) study
such myopic agents without a controller: the unbiased and the pessimistic fail for ever with a
probability that does not vanish, and the more pessimistic the more; enough optimism explores by
itself and makes regret small.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book
from kcmab_abm.catalogue import behaviour
from kcmab_abm.entries import Parameter
from kcmab_abm.offers import Board, best_deal


@behaviour(
    "optimism",
    cites="Banihashem, Hajiaghayi, Shin and Slivkins 2023",
    memory={"value": "arms"},
    kappa=Parameter(0.5, "optimism if above 0, pessimism if below", ge=-100.0, le=100.0),
)
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes argmax_i m_i + kappa / sqrt(N_i) + c_i: likes, or shuns, what few have tried."""
    for arm in range(len(book.means)):
        doubt = params.kappa / math.sqrt(book.pulls[arm])
        memory.value[arm] = book.means[arm] + doubt
    return best_deal(memory.value, 1.0, book, board, rng)
