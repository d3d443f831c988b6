"""What the customers of one run saw, and what they took: the data of a fit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Seen(NamedTuple):
    """The reports of one run in the order in which they became known, and the choices.

    Customers who were directed to an arm without reports made no choice; their reports count.

    Parameters
    ----------
    reporters, reported, told
        The number of the customer, the arm and the reward of every report.
    customers
        The number of every customer who chose, from 1.
    heard
        The number of reports that were known when she did.
    targets, taken
        The arm that was promoted to her, and the arm that she took; -1 if she left.
    offers
        The offers on all arms, one row per choice.
    rivals
        True if arms other than the target may carry offers.
    pulls, totals, means
        The record that she saw, one row per choice; no rows if she saw all reports.
    """

    reporters: Ints
    reported: Ints
    told: Floats
    customers: Ints
    heard: Ints
    targets: Ints
    taken: Ints
    offers: Floats
    rivals: bool
    pulls: Ints
    totals: Floats
    means: Floats
