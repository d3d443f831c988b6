"""Arms whose means change from customer to customer.

The mean of arm i for customer t is a function of t, and for the random walk of the replication's
tapes; it never depends on who pulled what. Both engines move the means by the same text.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEADY, PIECEWISE, WALK, SEASONAL = 0, 1, 2, 3
_WIDTH = math.sqrt(12.0)  # of a uniform distribution with standard deviation 1


class Changes(NamedTuple):
    """How means move: a kind, and the numbers that it needs.

    `levels[k]` are the means from customer `at[k]` on; a random walk makes steps of standard
    deviation `step` between the walls `low` and `high`; a season of `period` customers swings each
    mean by `amplitude`, arm i ahead by `phases[i]` of a period, and is cut at `low` and `high`.
    """

    kind: int
    at: NDArray[np.int64]
    levels: Floats
    step: float
    low: float
    high: float
    amplitude: float
    period: float
    phases: Floats


def move_means(t: int, changes: Changes, first: Floats, draws: Floats, means: Floats) -> None:
    """Turn the means of customer t - 1 into those of customer t.

    `first` are the means at the start; `draws` are uniforms, one for each arm, which only a random
    walk uses.
    """
    if changes.kind == PIECEWISE:
        for place in range(len(changes.at)):
            if changes.at[place] == t:
                for arm in range(len(means)):
                    means[arm] = changes.levels[place, arm]
    elif changes.kind == WALK:
        for arm in range(len(means)):
            step = changes.step * _WIDTH * (float(draws[arm]) - 0.5)
            means[arm] = reflect(float(means[arm]) + step, changes.low, changes.high)
    elif changes.kind == SEASONAL:
        for arm in range(len(means)):
            angle = 2.0 * math.pi * (t / changes.period + float(changes.phases[arm]))
            swung = float(first[arm]) + changes.amplitude * math.sin(angle)
            means[arm] = min(changes.high, max(changes.low, swung))


def reflect(position: float, low: float, high: float) -> float:
    """Where a step ends that bounces off the walls; steps are shorter than the room."""
    if position < low:
        position = low + (low - position)
    if position > high:
        position = high - (position - high)
    return max(low, position)


def highest_mean(means: Floats) -> float:
    """The best there is just now."""
    best = float(means[0])
    for arm in range(1, len(means)):
        best = max(best, float(means[arm]))
    return best


def add_means(sums: Floats, means: Floats) -> float:
    """Add the means of one more customer to their sums; returns the highest sum.

    It is what the best single arm would have earned so far.
    """
    best = -1.0
    for arm in range(len(means)):
        sums[arm] += means[arm]
        best = max(best, float(sums[arm]))
    return best
