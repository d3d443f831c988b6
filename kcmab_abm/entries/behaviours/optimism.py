"""Customers who are optimistic or pessimistic about arms with few reports.

Customer t values arm i at m_i + kappa / sqrt(N_i): an optimist (kappa > 0) prefers arms that few
have tried, a pessimist (kappa < 0) avoids them. Banihashem, Hajiaghayi, Shin and Slivkins (2023)
study such myopic agents without a controller. Unbiased and pessimistic agents fail to learn with a
probability that does not vanish and that grows with pessimism; sufficient optimism explores by
itself and makes regret small. An arm of which a customer sees no report counts as one with a
single report.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book


@behaviour(
    "optimism",
    cites="Banihashem, Hajiaghayi, Shin and Slivkins 2023",
    kappa=Parameter(0.5, "optimism if above 0, pessimism if below", ge=-100.0, le=100.0),
)
def value(
    book: Book, values: NDArray[np.float64], adjustments: NDArray[np.float64], params: Any
) -> None:
    """Takes argmax_i m_i + kappa / sqrt(N_i) + c_i: prefers, or avoids, arms with few reports."""
    for arm in range(len(book.means)):
        values[arm] = book.means[arm]
        adjustments[arm] = params.kappa / math.sqrt(max(1, book.pulls[arm]))
