"""The accountant: records every receipt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kcmab_abm.market.play_errors import bad_count, guarded
from kcmab_abm.market.visit import Visit
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.scenario.measures import is_count
from kcmab_abm.scenario.world import Choice

if TYPE_CHECKING:
    from kcmab_abm.market.place import MarketPlace


class Accountant:
    """The agent who keeps the ledger: who took what, for how much, at what regret."""

    def __init__(self, place: MarketPlace) -> None:
        self.place = place
        customers = len(place.clock)
        also = place.scenario.rivals
        self.kinds = place.scenario.market.customers.kinds
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
            counts=np.zeros((customers, len(place.scenario.measures.of_customers))),
        )

    def write(self, visit: Visit) -> None:
        """Record one receipt."""
        ledger, prospects = self.ledger, self.place.prospects
        line = visit.number - 1
        ledger.targets[line] = visit.target
        ledger.offers[line] = visit.offer
        ledger.arms[line] = visit.arm
        ledger.rewards[line] = visit.reward
        ledger.payments[line] = visit.payment
        if visit.means is None:
            ledger.regrets[line] = prospects.gaps[visit.arm]
        else:
            ledger.regrets[line] = prospects.regret(visit.arm, visit.means)
        ledger.seeded[line] = visit.seeded
        if visit.wait:
            ledger.waits[line] = visit.wait
        for column, (arm, offer) in enumerate(visit.beside):
            ledger.beside[line, column] = arm
            ledger.beside_offers[line, column] = offer
        for column, measure in enumerate(self.place.scenario.measures.of_customers):
            ledger.counts[line, column] = self.count(measure, visit)

    def count(self, measure: Choice, visit: Visit) -> float:
        """What a customer adds to a measure."""
        entry, replication = measure.entry, self.place.replication
        arguments = (
            visit.number,
            self.place.scenario.horizon,
            visit.target,
            float(visit.offer),
            visit.arm,
            visit.payment,
            visit.reward,
            float(self.ledger.regrets[visit.number - 1]),
            float(visit.wait),
            -1 if visit.seeded else self.kinds[int(visit.kind)],
            visit.values[visit.arm] if visit.values and visit.arm >= 0 else 0.0,
            visit.seeded,
            measure.params,
        )
        value = guarded(entry.calls["act"], arguments, (entry, visit.number, replication))
        if not is_count(value):
            raise bad_count(entry, value, visit.number, replication)
        return float(value)
