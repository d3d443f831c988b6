"""The controller: meets every customer with an offer and reads every report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.book import next_unreported, record
from kcmab_abm.errors import PlayError
from kcmab_abm.market.customer import is_arm
from kcmab_abm.market.visit import Visit
from kcmab_abm.market.wire import Process, Wire
from kcmab_abm.offers import Board, estimated_gap, least_offer, next_to_offer
from kcmab_abm.purse import affordable
from kcmab_abm.world import Choice, bad_price

if TYPE_CHECKING:
    from kcmab_abm.market.place import MarketPlace


class Controller:
    """The long-term agent who owns the arms and follows a policy."""

    def __init__(self, place: MarketPlace, policy: Choice) -> None:
        self.place = place
        self.policy = policy
        self.params = policy.params
        self.memory = place.new_memory(policy)
        self.ways = place.scenario.market.offers
        self.rule = self.ways.rule.entry
        self.rule_params = self.ways.rule.params
        self.rule_memory = place.new_memory(self.ways.rule)
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
        rivals = self.ways.also > 0
        if self.unreported:
            visit.seeded = True
            visit.target = next_unreported(self.place.book, self.directed)
            self.directed[visit.target] += 1
        else:
            visit.target = self.promote(visit.number)
            if rivals:
                self.offers = self.offer_beside(visit)
            visit.offer = self.quote(visit.number, visit.target)
            self.offers[visit.target] = visit.offer
            self.posted = visit.target
        visit.posted.succeed(Board(visit.target, self.offers, rivals))

    def offer_beside(self, visit: Visit) -> NDArray[np.float64]:
        """Offers on some of the other arms, those with the fewest reports first."""
        book = self.place.book
        offers, marks = np.zeros_like(self.offers), np.zeros_like(self.offers)
        posted = []
        for _ in range(self.ways.also):
            arm = next_to_offer(book, visit.target, marks)
            if arm < 0:
                break
            marks[arm] = 1.0
            offers[arm] = self.quote(visit.number, arm)
            posted.append((arm, float(offers[arm])))
        visit.beside = tuple(posted)
        return offers

    def quote(self, customer: int, arm: int) -> float:
        """What the controller offers this customer for the arm: what it thinks needed, and has."""
        place = self.place
        if self.ways.is_least:
            return least_offer(place.book, arm)
        gap = estimated_gap(place.book, arm, self.ways.error, place.offers_rng)
        price = self.rule.act(customer, gap, self.rule_memory, self.rule_params, place.offers_rng)
        if not 0.0 <= price < np.inf:
            raise PlayError(bad_price(self.ways.rule, price, customer))
        return float(affordable(place.purse, customer, float(price)))

    def watch_choices(self, choices: Wire) -> Process:
        """Notice whether customers take what is offered, for pricing rules that learn from it."""
        memory, params, rng = self.rule_memory, self.rule_params, self.place.offers_rng
        assert self.rule.learn is not None
        news = choices.next
        while True:
            visit, news = yield news
            self.rule.learn(visit.number, visit.offer, visit.agreed, memory, params, rng)

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
            record(place.book, visit.arm, visit.told)
            if learn is not None:
                learn(visit.arm, visit.told, place.book, self.memory, self.params, place.policy_rng)
