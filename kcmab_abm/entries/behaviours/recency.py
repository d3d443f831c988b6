"""Customers who read only recent reports, or discount older ones.

Bounded memory: arm i is worth the average of its last `window` reports (0: of all), each discounted
by `discount` for every later report on the arm. Old results are forgotten, good and bad, so recent
luck decides. Chakraborty and Chen (2024) study a controller with such a memory who pays for
exploration when arms change, and find regret and compensation that grow sublinearly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.arithmetic.exact import on_grid, two_sum
from kcmab_abm.model.book import Book


def room(arms: int, given: Mapping[str, Any]) -> int:
    """The number of recent reports kept for all arms together."""
    return int(arms * given["window"])


def hear(arm: int, reward: float, book: Book, memory: Any, params: Any) -> None:
    """Store a report in place of the oldest in the window; the newest has weight 1."""
    memory.weight[arm] = memory.weight[arm] * params.discount + 1.0
    memory.total[arm] = memory.total[arm] * params.discount + reward
    memory.mean[arm] = memory.total[arm] / memory.weight[arm]
    window = params.window
    if window > 0:
        memory.recent[arm * window + (book.pulls[arm] - 1) % window] = reward
        if book.pulls[arm] > window:
            memory.mean[arm] = windowed_mean(arm, int(book.pulls[arm]), memory, params)


def windowed_mean(arm: int, pulls: int, memory: Any, params: Any) -> float:
    """The discounted average of the reports in the window, summed from the oldest.

    Without a discount the sum is exact, as the order of the reports is of no importance then.
    """
    window, discount = params.window, params.discount
    total = 0.0
    lost = 0.0
    weight = 0.0
    for age in range(window):
        told = memory.recent[arm * window + (pulls + age) % window]
        weight = weight * discount + 1.0
        if discount == 1.0:
            total, error = two_sum(total, on_grid(told))
            lost += error
        else:
            total = total * discount + told
    return float((total + lost) / weight)


@behaviour(
    "recency",
    cites="bounded memory; Chakraborty and Chen 2024",
    hear=hear,
    memory={"recent": room, "weight": "arms", "total": "arms", "mean": "arms"},
    window=Parameter(50, "number of reports read per arm; 0 for all", ge=0, le=100_000),
    discount=Parameter(1.0, "discount per later report on the same arm", gt=0.0, le=1.0),
)
def value(values: NDArray[np.float64], memory: Any) -> None:
    """Takes the best deal by recent reports: only the last few, or with older ones discounted."""
    for arm in range(len(values)):
        values[arm] = memory.mean[arm]
