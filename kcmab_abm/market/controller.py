"""The controller: meets every customer with an offer and reads every report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kcmab_abm.book import next_unreported, record
from kcmab_abm.errors import PlayError
from kcmab_abm.market.customer import Visit, is_arm
from kcmab_abm.market.wire import Process
from kcmab_abm.offers import Board, least_offer
from kcmab_abm.world import Choice

if TYPE_CHECKING:
    from kcmab_abm.market.place import MarketPlace


class Controller:
    """The long-term agent who owns the arms and follows a policy."""

    def __init__(self, place: MarketPlace, policy: Choice) -> None:
        self.place = place
        self.policy = policy
        self.params = policy.params
        self.memory = place.new_memory(policy)
        self.offers = np.zeros(len(place.tapes))
        self.posted = 0  # the arm that carries the offer
        self.directed = np.zeros(len(place.tapes), np.int64)
        self.unreported = len(place.tapes)

    def serve(self) -> Process:
        """Post an offer for every customer who arrives."""
        news = self.place.arrivals.next
        while True:
            visit, news = yield news
            self.post(visit)

    def post(self, visit: Visit) -> None:
        """Decide which arm to promote to this customer and post what it takes."""
        self.offers[self.posted] = 0.0
        if self.unreported:
            visit.seeded = True
            visit.target = next_unreported(self.place.book, self.directed)
            self.directed[visit.target] += 1
        else:
            visit.target = self.promote(visit.number)
            visit.offer = least_offer(self.place.book, visit.target)
            self.offers[visit.target] = visit.offer
            self.posted = visit.target
        visit.posted.succeed(Board(visit.target, self.offers, rivals=False))

    def promote(self, customer: int) -> int:
        """The arm that the policy wants this customer to take."""
        place = self.place
        target = self.policy.entry.act(
            customer, place.book, self.memory, self.params, place.policy_rng
        )
        if not is_arm(target) or not 0 <= target < len(place.tapes):
            raise PlayError(
                f"policy {self.policy.entry.name!r} chose arm {target} for customer {customer}; "
                f"arms are 0..{len(place.tapes) - 1}"
            )
        return int(target)

    def read_reports(self) -> Process:
        """Write every report into the book, and learn from it."""
        place, learn = self.place, self.policy.entry.learn
        news = place.reports.next
        while True:
            visit, news = yield news
            if place.book.pulls[visit.arm] == 0:
                self.unreported -= 1
            record(place.book, visit.arm, visit.reward)
            if learn is not None:
                learn(
                    visit.arm, visit.reward, place.book, self.memory, self.params, place.policy_rng
                )
