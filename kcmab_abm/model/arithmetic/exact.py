"""Sums and products without rounding errors, as pairs of floats (Knuth; Dekker 1971)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SPLIT = 2.0**27 + 1.0  # divides 53 bits into two halves
_SMALL = 2.0**-8  # numbers of at least this size are multiples of 2^-60
_COARSE = 3.0 * _SMALL  # a smaller number added to it is rounded to multiples of 2^-59


def two_sum(a: float, b: float) -> tuple[float, float]:
    """The rounded sum of two numbers and its error, together exactly a + b (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_product(a: float, b: float) -> tuple[float, float]:
    """The rounded product of two numbers and its error, together exactly a * b (Dekker)."""
    product = a * b
    wide = _SPLIT * a
    a_high = wide - (wide - a)
    wide = _SPLIT * b
    b_high = wide - (wide - b)
    a_low, b_low = a - a_high, b - b_high
    error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return product, error


def on_grid(x: float) -> float:
    """A multiple of 2^-60 within 2^-60 of x; only numbers below 2^-8 are changed."""
    return (x + _COARSE) - _COARSE if -_SMALL < x < _SMALL else x


def add_at(
    sums: NDArray[np.float64], errors: NDArray[np.float64], place: int, amount: float
) -> None:
    """Add an amount to a sum and its error, both kept for every place.

    If all amounts are multiples of 2^-60, nothing is lost up to sums of 2^45, so the order in which
    they are added makes no difference.
    """
    total, error = two_sum(float(sums[place]), amount)
    low = float(errors[place]) + error
    sums[place] = total + low
    errors[place] = low - (sums[place] - total)
