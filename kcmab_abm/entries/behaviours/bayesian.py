"""Customers who update a Beta prior.

Customer t believes that the means of the arms were drawn from Beta(a, b) and values arm i at its
posterior mean, (a + M_i) / (a + b + N_i). A short record is drawn towards the prior mean: one bad
report does not condemn an arm, and an arm that nobody has tried is worth a / (a + b).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book


@behaviour(
    "bayesian",
    cites="Frazier, Kempe, Kleinberg and Kleinberg 2014",
    a=Parameter(1.0, "successes before the first report", gt=0.0, le=1e6),
    b=Parameter(1.0, "failures before the first report", gt=0.0, le=1e6),
)
def value(book: Book, values: NDArray[np.float64], params: Any) -> None:
    """Takes argmax_i (a + M_i) / (a + b + N_i) + c_i: the posterior mean under a Beta prior."""
    for arm in range(len(values)):
        weight = params.a + params.b + book.pulls[arm]
        values[arm] = (params.a + book.totals[arm]) / weight
