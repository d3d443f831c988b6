"""Scenes of a market: what some of its customers found, and what they did."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.market.place import MarketPlace
from kcmab_abm.market.sight import Sight, sight_of
from kcmab_abm.market.story import does, paid_to
from kcmab_abm.market.wire import Process


class Scene(NamedTuple):
    """One customer: what she saw, the hidden means of that moment, what she did.

    `arm` is -1 if she left; `asked` and `did` are words.
    """

    customer: int
    sight: Sight
    truth: NDArray[np.float64]
    asked: str
    arm: int = -1
    did: str = ""


class Witness:
    """Remembers the scenes of the customers named; give it to a market as its watcher."""

    def __init__(self, customers: Iterable[int]) -> None:
        self._customers = frozenset(customers)
        self._scenes: dict[int, Scene] = {}

    @property
    def scenes(self) -> list[Scene]:
        """What was seen, in the order of arrival."""
        return [self._scenes[customer] for customer in sorted(self._scenes)]

    def __call__(self, place: MarketPlace) -> list[Process]:
        """The processes by which the witness listens."""
        return [self._look(place), self._follow(place)]

    def _look(self, place: MarketPlace) -> Process:
        news = place.arrivals.next
        while True:
            visit, news = yield news
            if visit.number in self._customers:
                sight = sight_of(visit, place.book)
                truth = place.prospects.means if visit.means is None else visit.means
                self._scenes[visit.number] = Scene(visit.number, sight, truth, _asked(sight))

    def _follow(self, place: MarketPlace) -> Process:
        news = place.receipts.next
        while True:
            visit, news = yield news
            if visit.number in self._customers:
                seen, did = self._scenes[visit.number], does(visit, paid_to(place, visit))
                self._scenes[visit.number] = seen._replace(arm=visit.arm, did=did)


def _asked(sight: Sight) -> str:
    """What the controller wants of this customer, in a few words: a picture shows the numbers."""
    if sight.seeded:
        return f"is sent to arm {sight.target}, which nobody has reported on"
    offer = float(sight.offers[sight.target])
    others = int(np.count_nonzero(sight.offers)) - (offer > 0.0)
    beside = f" and {others} other offer{'s'[: others != 1]}" if others else ""
    if offer > 0.0:
        return f"is offered {offer:.3f} for arm {sight.target}{beside}"
    return f"sees arm {sight.target} promoted for nothing{beside}"
