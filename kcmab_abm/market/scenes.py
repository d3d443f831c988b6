"""Scenes of a market: what some of its customers found, and what they did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.market.place import MarketPlace
from kcmab_abm.market.story import does, paid_to
from kcmab_abm.market.visit import Visit
from kcmab_abm.market.wire import Process
from kcmab_abm.offers import Board


@dataclass(frozen=True)
class Scene:
    """One customer before the board: the book as she found it, the offers, what she did.

    `means` are those of the `reports` in the book, not a number where there is none; `truth` has
    the hidden means when she came. `arm` is -1 if she left.
    """

    customer: int
    means: NDArray[np.float64]
    reports: NDArray[np.int64]
    offers: NDArray[np.float64]
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
                board = yield visit.posted
                self._scenes[visit.number] = _found(place, visit, board)

    def _follow(self, place: MarketPlace) -> Process:
        news = place.receipts.next
        while True:
            visit, news = yield news
            if visit.number in self._customers:
                seen, did = self._scenes[visit.number], does(visit, paid_to(place, visit))
                self._scenes[visit.number] = replace(seen, arm=visit.arm, did=did)


def _found(place: MarketPlace, visit: Visit, board: Board) -> Scene:
    book = place.book
    return Scene(
        customer=visit.number,
        means=np.where(book.pulls > 0, book.means, np.nan),
        reports=book.pulls.copy(),
        offers=board.offers.copy(),
        truth=place.prospects.means if visit.means is None else visit.means,
        asked=_asked(visit, board),
    )


def _asked(visit: Visit, board: Board) -> str:
    """What the controller wants of this customer, in a few words: a picture shows the numbers."""
    if visit.seeded:
        return f"is sent to arm {visit.target}, which nobody has reported on"
    others = int(np.count_nonzero(board.offers)) - (visit.offer > 0.0)
    beside = f" and {others} other offer{'s'[: others != 1]}" if others else ""
    if visit.offer > 0.0:
        return f"is offered {visit.offer:.3f} for arm {visit.target}{beside}"
    return f"sees arm {visit.target} promoted for nothing{beside}"
