"""Scenes of a market for animations: what some customers saw, and what they did."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.market.channel import Process
from kcmab_abm.market.narrator import describe_action, payment_to
from kcmab_abm.market.place import MarketPlace
from kcmab_abm.market.snapshot import Snapshot, snapshot_for
from kcmab_abm.market.visit import Visit


class Scene(NamedTuple):
    """One customer: what she saw, the true means at that moment, and what she did.

    `arm` is -1 if she left; `asked` and `did` describe the request and the response in words.
    """

    customer: int
    snapshot: Snapshot
    truth: NDArray[np.float64]
    asked: str
    arm: int = -1
    did: str = ""


class SceneRecorder:
    """A watcher that records the scenes of the given customers."""

    def __init__(self, customers: Iterable[int]) -> None:
        self._customers = frozenset(customers)
        self._scenes: dict[int, Scene] = {}

    @property
    def scenes(self) -> list[Scene]:
        """The scenes recorded, in order of arrival."""
        return [self._scenes[customer] for customer in sorted(self._scenes)]

    def __call__(self, place: MarketPlace) -> list[Process]:
        """The processes that record."""
        return [
            place.arrivals.listen(partial(self._look, place)),
            place.receipts.listen(partial(self._follow, place)),
        ]

    def _look(self, place: MarketPlace, visit: Visit) -> None:
        if visit.number in self._customers:
            snapshot = snapshot_for(visit, place.view)
            truth = place.prospects.means if visit.means is None else visit.means
            self._scenes[visit.number] = Scene(visit.number, snapshot, truth, _asked(snapshot))

    def _follow(self, place: MarketPlace, visit: Visit) -> None:
        if visit.number in self._customers:
            seen, did = self._scenes[visit.number], describe_action(visit, payment_to(place, visit))
            self._scenes[visit.number] = seen._replace(arm=visit.arm, did=did)


def _asked(snapshot: Snapshot) -> str:
    """The controller's request in a few words; the animation shows the numbers."""
    if snapshot.seeded:
        return f"is sent to arm {snapshot.target}, which nobody has reported on"
    offer = float(snapshot.offers[snapshot.target])
    others = int(np.count_nonzero(snapshot.offers)) - (offer > 0.0)
    beside = f" and {others} other offer{'s'[: others != 1]}" if others else ""
    if offer > 0.0:
        return f"is offered {offer:.3f} for arm {snapshot.target}{beside}"
    return f"sees arm {snapshot.target} promoted for nothing{beside}"
