"""A favourite arm and a limit for all others: policies need not compute every index every time.

A policy that promotes the arm with the highest index keeps in its memory `high`, a number that the
index of an arm will not exceed as long as there is no report on it, and `limit`, the largest of
these for all arms but the `favourite`. While the favourite's own index exceeds the limit, no other
index need be computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def unknown(arms: int, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """Nothing is known about any index."""
    return np.full(arms, math.inf)


def unlimited(arms: int, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """Nothing is known about the other arms."""
    return np.full(1, math.inf)


FAVOURITE: dict[str, str | int | Callable[..., NDArray[np.float64]]] = {
    "index": "arms",
    "high": unknown,
    "favourite": 1,
    "limit": unlimited,
}


def reconsider(arm: int, memory: Any) -> None:
    """Forget what is known about the index of an arm: there is a report on it."""
    memory.high[arm] = math.inf
    if arm != memory.favourite[0]:
        memory.limit[0] = math.inf


def prefer(favourite: int, memory: Any) -> None:
    """Make an arm the favourite; `high` is known for all others."""
    limit = -math.inf
    for arm in range(len(memory.high)):
        if arm != favourite:
            limit = max(limit, float(memory.high[arm]))
    memory.favourite[0] = favourite
    memory.limit[0] = limit
