"""Arms with limited capacity: a customer who finds one busy waits, switches or leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kcmab_abm.market.channel import Process
from kcmab_abm.market.visit import Visit
from kcmab_abm.model.book import highest
from kcmab_abm.model.budget import charge, refund
from kcmab_abm.model.offers import Board

if TYPE_CHECKING:
    from kcmab_abm.market.place import MarketPlace


class Queue:
    """The queues at the counters.

    A customer draws her reward when she reaches the counter. Her payment is reserved in the purse
    while she waits and refunded if she leaves.
    """

    def __init__(self, place: MarketPlace, consume: Callable[[Visit], None]) -> None:
        self.place = place
        self.consume = consume
        self.when_full = place.scenario.market.when_full

    def stand(self, visit: Visit, board: Board, service: float) -> Process:
        """Wait for a counter, as long as her patience lasts, and be served there."""
        if self.when_full != "wait" and self._is_full(visit.arm):
            self._turn_away(visit, board)
        if visit.arm < 0:
            return
        env = self.place.env
        counter = self.place.counters[visit.arm]
        came = env.now
        with counter.request() as turn:
            if visit.patience == np.inf or turn.triggered:
                yield turn
            else:
                yield turn | env.timeout(visit.patience)
            visit.wait = env.now - came
            if not turn.triggered:
                self._give_up(visit)
                return
            self.consume(visit)
            if service > 0.0:
                yield env.timeout(service)

    def _is_full(self, arm: int) -> bool:
        counter = self.place.counters[arm]
        return counter.count >= counter.capacity

    def _turn_away(self, visit: Visit, board: Board) -> None:
        """Leave, or switch to the best free arm."""
        self._give_up(visit)
        if self.when_full == "leave":
            return
        place = self.place
        worth = place.view.means + board.offers
        for arm in range(len(worth)):
            if self._is_full(arm):
                worth[arm] = -1.0
        if worth.max() >= 0.0:
            visit.arm = highest(worth, place.view, place.customers_rng)
            visit.payment = float(board.offers[visit.arm])
            charge(place.purse, visit.payment)

    def _give_up(self, visit: Visit) -> None:
        refund(self.place.purse, visit.number, visit.payment)
        visit.arm = -1
        visit.payment = 0.0
