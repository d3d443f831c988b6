"""Means rounded to steps, as shops show them in stars.

Half stars on a scale of five are steps of 0.1. An arm is shown at the multiple of `step` that is
nearest to its mean, halves rounded up, together with the number of reports. Arms that show the same
stars are equally good to a customer, so many of them can be promoted for nothing; but means on
either side of a rounding point look a whole step apart, and the controller pays for that step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcmab_abm.catalogue.disclosure_decorator import disclosure
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book


@disclosure(
    "stars",
    cites="rounded averages, as in Luca 2016",
    step=Parameter(0.1, "distance between two neighbouring ratings", ge=1e-6, le=1.0),
)
def show(book: Book, view: Book, params: Any) -> None:
    """Shows the number of reports on every arm, and their mean rounded to a multiple of a step."""
    for arm in range(len(view.means)):
        view.pulls[arm] = book.pulls[arm]
        view.means[arm] = np.floor(book.means[arm] / params.step + 0.5) * params.step
        view.totals[arm] = view.means[arm] * view.pulls[arm]
