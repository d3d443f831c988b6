"""Arms whose means change from customer to customer.

The mean of arm i for customer t is a function of t and, for the random walk, of the replication's
tapes; it never depends on choices. Both engines move the means by the same functions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.model.arithmetic.elementary import sine

Floats = NDArray[np.float64]

STEADY, PIECEWISE, WALK, SEASONAL = 0, 1, 2, 3
_WIDTH = math.sqrt(12.0)  # of a uniform distribution with standard deviation 1


class Changes(NamedTuple):
    """The kind of change, and its parameters.

    `means[k]` are the means from customer `at[k]` on; a random walk makes steps of standard
    deviation `step`, reflected at `low` and `high`; a season of `period` customers moves each mean
    by up to `amplitude`, with arm i ahead by `phases[i]` periods, clipped to [`low`, `high`].
    """

    kind: int
    at: NDArray[np.int64]
    means: Floats
    step: float
    low: float
    high: float
    amplitude: float
    period: float
    phases: Floats


def move_means(t: int, changes: Changes, first: Floats, draws: Floats, means: Floats) -> None:
    """Turn the means of customer t - 1 into those of customer t.

    `first` are the initial means; `draws` are uniforms, one per arm, used by a random walk only.
    """
    if changes.kind == PIECEWISE:
        for place in range(len(changes.at)):
            if changes.at[place] == t:
                for arm in range(len(means)):
                    means[arm] = changes.means[place, arm]
    elif changes.kind == WALK:
        for arm in range(len(means)):
            step = changes.step * _WIDTH * (float(draws[arm]) - 0.5)
            means[arm] = reflect(float(means[arm]) + step, changes.low, changes.high)
    elif changes.kind == SEASONAL:
        for arm in range(len(means)):
            turns = t / changes.period + float(changes.phases[arm])
            swung = float(first[arm]) + changes.amplitude * sine(turns)
            means[arm] = min(changes.high, max(changes.low, swung))


def reflect(position: float, low: float, high: float) -> float:
    """A position reflected at `low` and `high`; steps must be shorter than the interval."""
    if position < low:
        position = low + (low - position)
    if position > high:
        position = high - (position - high)
    return max(low, position)


def highest_mean(means: Floats) -> float:
    """The highest of the current means."""
    best = float(means[0])
    for arm in range(1, len(means)):
        best = max(best, float(means[arm]))
    return best


def add_means(sums: Floats, means: Floats) -> float:
    """Add the current means to their sums.

    Returns the highest sum: what the best single arm would have earned so far.
    """
    best = -1.0
    for arm in range(len(means)):
        sums[arm] += means[arm]
        best = max(best, float(sums[arm]))
    return best
