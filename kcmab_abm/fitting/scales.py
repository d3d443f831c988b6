"""The scales on which parameters are searched, made of their ranges."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from kcmab_abm.catalogue.entries import Parameter

# Rewards lie in [0, 1]: what differs from 0, or from infinity, by less than this cannot be told.
SMALLEST, LARGEST = 1e-6, 1e4
WIDE = 10.0  # ranges beyond this are searched on a logarithmic scale


class Scale(NamedTuple):
    """A scale with bounds, and the values at which the parameter's own range ends.

    `usual` are the bounds between which the search begins.
    """

    low: float
    high: float
    usual: tuple[float, float]
    value: Callable[[float], float]
    place: Callable[[float], float]
    lowest: float
    highest: float

    def shown(self, place: float) -> float:
        """The value at a place; at the ends of the scale, that at which the range ends."""
        if place <= self.low:
            return self.lowest
        return self.highest if place >= self.high else self.value(place)


def scale_of(parameter: Parameter) -> Scale:
    """The scale of a parameter: logarithmic from 0 up, linear if narrow, else like a sine."""
    lowest = _bound(parameter.ge, parameter.gt, -math.inf)
    highest = _bound(parameter.le, parameter.lt, math.inf)
    if highest - lowest <= WIDE:
        edge = 1e-9 * (highest - lowest)
        low = lowest if parameter.gt is None else lowest + edge
        high = highest if parameter.lt is None else highest - edge
        return Scale(low, high, (low, high), float, float, lowest, highest)
    if lowest == 0.0:
        usual = math.log(0.003), math.log(3.0)
        low, high = math.log(SMALLEST), math.log(min(highest, LARGEST))
        return Scale(low, high, usual, math.exp, math.log, lowest, highest)
    low, high = math.asinh(max(lowest, -LARGEST)), math.asinh(min(highest, LARGEST))
    usual = max(low, -2.0), min(high, 2.0)
    return Scale(low, high, usual, math.sinh, math.asinh, lowest, highest)


def _bound(closed: float | None, opened: float | None, otherwise: float) -> float:
    given = closed if opened is None else opened
    return otherwise if given is None else float(given)
