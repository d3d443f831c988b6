"""How unequally payments are spread over customers.

A measure of whole runs: it keeps the customers of one run in memory, about 110 bytes each on every
thread, and is known at the end only. Who paid a fee (`purse.fees`) counts as not paid: with amounts
below 0 the coefficient would not be between 0 and 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.measuring import measure


@measure("gini", of="run", cites="Gini 1912")
def count(payments: NDArray[np.float64]) -> float:
    """How unequal the payments of a run are: 0 if all get the same, near 1 if one gets all."""
    ordered = np.cumsum(np.sort(np.maximum(payments, 0.0)))
    total = float(ordered[-1])
    if total == 0.0:
        return 0.0
    # One minus twice the area under the Lorenz curve, by trapezoids.
    customers = len(payments)
    return float(1.0 - (2.0 * np.cumsum(ordered)[-1] / total - 1.0) / customers)
