"""When the market settled: the last customer whose arm was not that of the customer before.

A measure of whole runs: it keeps the customers of one run in memory, about 110 bytes each on every
thread, and is known at the end only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.measuring import measure


@measure("last-switch", of="run")
def count(arms: NDArray[np.int64]) -> float:
    """The last customer who took another arm than the customer before her; 0 if there is none."""
    switches = np.flatnonzero(arms[1:] != arms[:-1])
    return float(switches[-1] + 2) if len(switches) else 0.0
