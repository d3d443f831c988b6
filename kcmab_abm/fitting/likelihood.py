"""The likelihood of choices, and the search for its highest place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from kcmab_abm.fitting.customers import Customers
from kcmab_abm.fitting.scales import scale_of
from kcmab_abm.model.seen import Floats

SEARCHED = 12  # places that are tried for every parameter before the climb
CLIMBED = 3  # places from which it climbs
EVEN = 0.7548776662466927  # multiples of its powers fill the square evenly
STEP = 1e-5  # of a parameter on its scale, for derivatives


class Peak(NamedTuple):
    """A place with high likelihood: minus its logarithm, the parameters, the whole number."""

    loss: float
    place: Floats
    whole: int | None = None


class Likelihood:
    """The likelihood of some customers, as a function of a place and a whole number.

    A place has the parameters that are not whole numbers, each on its scale. The whole number is
    None if none is free.
    """

    def __init__(self, customers: Customers) -> None:
        self.customers = customers
        self.free = [each for each in customers.free if not each.is_whole]
        self.scales = [scale_of(each.parameter) for each in self.free]
        self.whole = next((each for each in customers.free if each.is_whole), None)

    def values(self, place: Floats, whole: int | None) -> dict[str, float]:
        """The parameters by name."""
        known: dict[str, float] = {} if self.whole is None else {self.whole.name: whole or 0}
        for each, scale, here in zip(self.free, self.scales, place.tolist(), strict=True):
            known[each.name] = scale.value(here)
        return known

    def loss(self, place: Floats, whole: int | None) -> float:
        """Minus the log-likelihood."""
        return self.customers.loss(self.values(place, whole))

    def search(self, whole: int | None) -> Peak:
        """The highest place, whatever the others."""
        starts = sorted(
            (Peak(self.loss(place, whole), place, whole) for place in self._starts()),
            key=lambda each: each.loss,
        )
        return min(
            (self.climb(each.place, whole) for each in starts[:CLIMBED]),
            key=lambda each: each.loss,
        )

    def climb(self, start: Floats, whole: int | None, held: int | None = None) -> Peak:
        """The highest place near a start, with the parameter number `held` as it is there."""
        moving = [number for number in range(len(start)) if number != held]
        place = start.copy()

        def loss(part: Floats) -> float:
            place[moving] = part
            return self.loss(place, whole)

        if not moving:
            return Peak(self.loss(place, whole), place, whole)
        found = minimize(
            loss,
            start[moving],
            method="L-BFGS-B",
            bounds=[(self.scales[number].low, self.scales[number].high) for number in moving],
            options={"eps": STEP, "ftol": 1e-12, "gtol": 1e-4},
        )
        place[moving] = found.x
        return Peak(float(found.fun), place, whole)

    def _starts(self) -> Iterator[Floats]:
        """The defaults, and places spread over the usual values."""
        if not self.free:
            yield np.zeros(0)
            return
        usual = np.array([scale.usual for scale in self.scales])
        defaults = [
            min(max(scale.place(max(each.parameter.default, scale.value(scale.low))), low), high)
            for each, scale, (low, high) in zip(self.free, self.scales, usual, strict=True)
        ]
        yield np.array(defaults)
        steps = EVEN ** np.arange(1, len(self.free) + 1)
        for number in range(SEARCHED * len(self.free)):
            share = number * steps % 1.0
            yield usual[:, 0] + share * (usual[:, 1] - usual[:, 0])
