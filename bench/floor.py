"""The unit of speed: a compiled loop that draws one uniform a customer and does nothing else."""

from __future__ import annotations

import numpy as np
from numba import njit

from bench.clock import Task

CUSTOMERS = 10_000_000


@njit(nogil=True)
def draw(rng: np.random.Generator, customers: int) -> float:
    """The sum of one uniform a customer."""
    total = 0.0
    for _ in range(customers):
        total += rng.random()
    return total


def floor_task() -> Task:
    """The loop, compiled and ready."""
    rng = np.random.default_rng(0)
    draw(rng, 1)
    return Task(lambda: draw(rng, CUSTOMERS), CUSTOMERS)
