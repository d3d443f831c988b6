"""Finding out from refusals and acceptances what customers need for each arm.

Policies and pricing rules that search share these functions. Each keeps in its memory, for every
arm, the highest offer that was refused (`low`) and the lowest that was accepted (`high`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.model.arithmetic.elementary import log


def most_needed(arms: int, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """What an arm may need at most, before any answer: the setting `limit`."""
    return np.full(arms, given["limit"], np.float64)


def narrow(arm: int, offer: float, taken: bool, memory: Any) -> None:
    """Note that an arm needs at most what was accepted, or at least what was refused."""
    if taken:
        memory.high[arm] = min(float(memory.high[arm]), offer)
        memory.low[arm] = min(float(memory.low[arm]), float(memory.high[arm]))
    else:
        memory.low[arm] = max(float(memory.low[arm]), min(offer, float(memory.high[arm])))


def trials(horizon: int) -> int:
    """How often an interval must be halved to become shorter than 1 / T: ceil(log2 T).

    >>> [trials(horizon) for horizon in (1, 2, 3, 40_000)]
    [0, 1, 2, 16]
    """
    count, reach = 0, 1
    while reach < horizon:
        count += 1
        reach *= 2
    return count


def explores(t: int, epsilon: float) -> bool:
    """Return True if customer t is one to explore on, as a share min(1, epsilon / t) of them is.

    Policy and pricing rule have no coin in common, so the decision depends on t alone: beyond the
    first epsilon customers it is time whenever epsilon ln t passes a whole number.

    >>> [t for t in range(1, 30) if explores(t, 3.0)]
    [1, 2, 3, 4, 6, 8, 11, 15, 21, 29]
    """
    if t <= epsilon:
        return True
    return t > 1 and math.floor(epsilon * log(t)) > math.floor(epsilon * log(t - 1))
