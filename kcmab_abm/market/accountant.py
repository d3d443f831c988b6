"""The accountant: listens to every receipt and writes it down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kcmab_abm.market.wire import Process
from kcmab_abm.trajectory import Trajectory

if TYPE_CHECKING:
    from kcmab_abm.market.place import MarketPlace


class Accountant:
    """The agent who keeps the ledger: who took what, for how much, at what regret."""

    def __init__(self, place: MarketPlace) -> None:
        self.place = place
        customers = len(place.clock)
        also = place.scenario.market.rivals
        self.ledger = Trajectory(
            clock=np.array(place.clock),
            targets=np.full(customers, -1, np.int64),
            offers=np.zeros(customers),
            arms=np.full(customers, -1, np.int64),
            rewards=np.zeros(customers),
            payments=np.zeros(customers),
            regrets=np.zeros(customers),
            seeded=np.zeros(customers, np.bool_),
            waits=np.zeros(customers),
            beside=np.full((customers, also), -1, np.int64),
            beside_offers=np.zeros((customers, also)),
        )

    def keep(self) -> Process:
        """Write one line for every receipt."""
        ledger, prospects = self.ledger, self.place.prospects
        gaps = prospects.gaps
        targets, offers, arms = ledger.targets, ledger.offers, ledger.arms
        rewards, payments, regrets = ledger.rewards, ledger.payments, ledger.regrets
        news = self.place.receipts.next
        while True:
            visit, news = yield news
            line = visit.number - 1
            targets[line] = visit.target
            offers[line] = visit.offer
            arms[line] = visit.arm
            rewards[line] = visit.reward
            payments[line] = visit.payment
            if visit.means is None:
                regrets[line] = gaps[visit.arm]
            else:
                regrets[line] = prospects.regret(visit.arm, visit.means)
            ledger.seeded[line] = visit.seeded
            if visit.wait:
                ledger.waits[line] = visit.wait
            for column, (arm, offer) in enumerate(visit.beside):
                ledger.beside[line, column] = arm
                ledger.beside_offers[line, column] = offer
