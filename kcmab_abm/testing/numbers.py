"""Numbers drawn at random, with a liking for those that break things."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from kcmab_abm.catalogue.entries import LARGEST_WHOLE, Entry, Parameter

LARGEST = 1e300  # where a range has no upper end


def numbers(rng: Generator, entry: Entry) -> dict[str, Any]:
    """Some of an entry's parameters, each anywhere in its range."""
    return {
        word: number(rng, each) for word, each in entry.parameters.items() if rng.random() < 0.7
    }


def number(rng: Generator, parameter: Parameter) -> int | float | bool:
    """A value of a parameter: an end of its range, a power of ten, or anything in between."""
    if isinstance(parameter.default, bool):
        return bool(rng.random() < 0.5)
    low, high = ends_of(parameter)
    if isinstance(parameter.default, int):
        first, last = int(low), int(high)
        inside = first + int((last - first + 1) ** rng.random()) - 1
        return int(pick(rng, [first, first + 1, last, parameter.default], lambda: inside, 0.5))
    return float(
        pick(
            rng,
            [low, high, math.nextafter(low, high), math.nextafter(high, low), parameter.default],
            lambda: _between(rng, low, high),
            0.5,
        )
    )


def ends_of(parameter: Parameter) -> tuple[float, float]:
    """The least and the greatest value that a parameter may have."""
    whole = isinstance(parameter.default, int)
    largest = LARGEST_WHOLE if whole else LARGEST
    low = -largest if parameter.ge is None else parameter.ge
    high = largest if parameter.le is None else parameter.le
    if parameter.gt is not None:
        low = parameter.gt + 1 if whole else math.nextafter(parameter.gt, math.inf)
    if parameter.lt is not None:
        high = parameter.lt - 1 if whole else math.nextafter(parameter.lt, -math.inf)
    return low, min(high, largest)


def _between(rng: Generator, low: float, high: float) -> float:
    """A number of an interval, evenly spread, or its distance from the lower end by magnitude."""
    if rng.random() < 0.5:
        return float(min(high, low + rng.random() * (high - low)))
    largest = math.log10(high - low)
    return float(min(high, low + 10.0 ** rng.uniform(min(-12.0, largest), largest)))


def pick(rng: Generator, special: list[Any], other: Any, chance: float = 0.7) -> Any:
    """Often one of some values, else what a function returns."""
    if rng.random() < chance:
        return special[int(rng.integers(len(special)))]
    drawn = other()
    return float(drawn) if isinstance(drawn, np.floating) else drawn
