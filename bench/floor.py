"""The unit of speed: a compiled loop that only draws one uniform number per customer."""

from __future__ import annotations

import numpy as np
from numba import njit

from bench.clock import Task

CUSTOMERS = 10_000_000


@njit(nogil=True)
def draw(rng: np.random.Generator, customers: int) -> float:
    """The sum of one uniform number per customer."""
    total = 0.0
    for _ in range(customers):
        total += rng.random()
    return total


def floor_task() -> Task:
    """The loop, compiled and ready."""
    rng = np.random.default_rng(0)
    draw(rng, 1)
    return Task(lambda: draw(rng, CUSTOMERS), CUSTOMERS)
