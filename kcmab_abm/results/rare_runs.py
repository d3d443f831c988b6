"""Intervals for means over runs of which a few cost far more than all others.

A run that locks in on a wrong arm costs hundreds of times as much as others differ. If few runs do,
Student's interval is too narrow: the samples without such a run have a mean that is too low and
look precise. The mean is therefore divided into that of the other runs, with Student's interval,
and the share of such runs times their excess. That part is a sum over a random number of runs, for
which the gamma interval of Fay and Feuer (1997, Statistics in Medicine 16) is used: it is exact for
equal excesses, where it is that of Clopper and Pearson for small shares, and allows for one more
run than was seen. The two are joined by their squares (Zou and Donner 2008, ibid. 27).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainccinv, gammaincinv

from kcmab_abm.results.statistics import standard_error, student

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FEW = 20  # with fewer rare runs, Student's 95 % interval covers less than about 93 %
_COMMON = 0.1  # a share from which on runs are not rare and Student's interval holds


def mean_limits(
    values: Floats,
    rare: Flags,
    confidence: float = 0.95,
    *,
    more: float = 0.0,
    less: float = 0.0,
    errors: float | None = None,
) -> tuple[float, float]:
    """The limits of an interval for the mean that holds where some runs are rare and differ much.

    Parameters
    ----------
    values
        One number per run.
    rare
        The runs that are rare, such as those that have locked in.
    confidence
        The level of the interval.
    more, less
        By how much a rare run that has not been seen yet may exceed the others, or stay below them;
        0 if that is impossible.
    errors
        Half the width of the interval for the other runs in standard errors; by default Student's.

    Returns
    -------
    (float, float)
        The lower and upper limit; NaN for fewer than two runs.

    Examples
    --------
    >>> values = np.append(np.linspace(38.0, 42.0, 999), 1040.0)
    >>> low, high = mean_limits(values, values > 1000, more=1000.0)
    >>> round(low, 1), round(high, 1)
    (40.0, 45.6)
    """
    count, seen = len(values), int(rare.sum())
    if count < 2:
        return math.nan, math.nan
    usual = values if seen > _COMMON * count or seen > count - 2 else values[~rare]
    apart = values[rare] - usual.mean() if len(usual) < count else np.empty(0)
    errors = student(confidence, len(usual) - 1) if errors is None else errors
    width = errors * standard_error(usual)
    if seen > len(apart):
        more = less = 0.0
    above, below = apart[apart > 0.0], -apart[apart < 0.0]
    above_low, above_high = _sum_limits(above, 1.0 - confidence, more)
    below_low, below_high = _sum_limits(below, 1.0 - confidence, less)
    mean, up, down = float(values.mean()), float(above.sum()), float(below.sum())
    low = math.hypot(width, (up - above_low) / count, (below_high - down) / count)
    high = math.hypot(width, (above_high - up) / count, (down - below_low) / count)
    return mean - low, mean + high


def _sum_limits(sizes: Floats, alpha: float, largest: float) -> tuple[float, float]:
    """The interval of Fay and Feuer for the expected sum of a Poisson number of sizes."""
    total, squares = float(sizes.sum()), float((sizes**2).sum())
    largest = max(largest, float(sizes.max(initial=0.0)))
    low = squares / total * float(gammaincinv(total**2 / squares, alpha / 2.0)) if total else 0.0
    if largest == 0.0:
        return low, 0.0
    total, squares = total + largest, squares + largest**2
    return low, squares / total * float(gammainccinv(total**2 / squares, alpha / 2.0))
