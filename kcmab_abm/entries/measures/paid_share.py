"""How many customers payments reach.

A measure of whole runs: it keeps the customers of one run in memory, about 110 bytes each on every
thread, and is known at the end only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.measuring import measure


@measure("paid-share", of="run")
def count(payments: NDArray[np.float64]) -> float:
    """The share of customers who were paid anything; those who paid a fee were not."""
    return int(np.count_nonzero(payments > 0.0)) / len(payments)
