"""Random markets: arms whose means are drawn anew in every replication.

The means of replication r depend on (seed, r) alone, through a tape of their own, so that all
policies meet the same markets. Both engines draw them by the same function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.model.arithmetic.beta import constants, quantile

Floats = NDArray[np.float64]

FIXED, UNIFORM, BETA, LISTED = 0, 1, 2, 3


@dataclass(frozen=True)
class Prior:
    """The prior of the mean of one arm; means stay between `low` and `high`.

    `shapes` are those of a Beta prior. A listed prior chooses one of the markets in a list, each
    with the same probability; `listed` has the means of this arm in all of them, and `ahead` arms
    before this one have theirs from the same list.
    """

    kind: int
    low: float
    high: float
    shapes: tuple[float, float] = (1.0, 1.0)
    listed: tuple[float, ...] = ()
    ahead: int = 0


class Priors(NamedTuple):
    """The priors of all arms as arrays, one row per arm.

    `numbers` are the mean of a fixed arm; the shapes and constants of a Beta prior; or, of a listed
    one, how many arms before this one share the list, the place of its first mean in `listed`, and
    the number of markets.
    """

    kinds: NDArray[np.int64]
    numbers: Floats
    low: Floats
    high: Floats
    listed: Floats


def priors_of(arms: Sequence[tuple[Prior | None, float]]) -> Priors:
    """Return the priors of some arms, each with its prior or else its mean."""
    count = len(arms)
    found = Priors(
        kinds=np.zeros(count, np.int64),
        numbers=np.zeros((count, 4)),
        low=np.zeros(count),
        high=np.ones(count),
        listed=np.array([mean for prior, _ in arms if prior for mean in prior.listed], np.float64),
    )
    start = 0
    for arm, (prior, mean) in enumerate(arms):
        if prior is None:
            found.numbers[arm, 0] = mean
            continue
        found.kinds[arm], found.low[arm], found.high[arm] = prior.kind, prior.low, prior.high
        if prior.kind == BETA:
            found.numbers[arm] = *prior.shapes, *constants(*prior.shapes)
        elif prior.kind == LISTED:
            found.numbers[arm, :3] = prior.ahead, start, len(prior.listed)
            start += len(prior.listed)
    return found


def draw_means(priors: Priors, uniforms: Floats, means: Floats) -> None:
    """Draw the means of all arms; `uniforms` has one number per arm."""
    for arm in range(len(means)):
        kind = priors.kinds[arm]
        low, high = float(priors.low[arm]), float(priors.high[arm])
        mean = float(priors.numbers[arm, 0])
        if kind == UNIFORM:
            mean = low + (high - low) * float(uniforms[arm])
        elif kind == BETA:
            b, scale = float(priors.numbers[arm, 1]), float(priors.numbers[arm, 2])
            mean = quantile(float(uniforms[arm]), mean, b, scale, float(priors.numbers[arm, 3]))
        elif kind == LISTED:
            count = int(priors.numbers[arm, 2])
            market = int(float(uniforms[arm - int(mean)]) * count)
            mean = float(priors.listed[int(priors.numbers[arm, 1]) + min(market, count - 1)])
        if kind != FIXED:
            mean = min(high, max(low, mean))
        means[arm] = mean
