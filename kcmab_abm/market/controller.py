"""The controller: posts an offer for every customer and reads every report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.market.customer import Customers, is_arm, is_number
from kcmab_abm.market.play_errors import bad_offer, bad_target, guarded
from kcmab_abm.market.visit import Visit
from kcmab_abm.model.book import next_unreported, record, sealed
from kcmab_abm.model.budget import affordable
from kcmab_abm.model.offers import (
    Board,
    is_offer,
    least_offer,
    misjudged,
    next_to_offer,
    personal_gap,
)
from kcmab_abm.scenario.world import Choice

if TYPE_CHECKING:
    from kcmab_abm.market.place import MarketPlace


class Controller:
    """The long-lived agent who owns the arms and follows a policy."""

    def __init__(self, place: MarketPlace, policy: Choice, customers: Customers) -> None:
        self.place = place
        self.customers = customers
        self.policy = policy.entry
        self.params = policy.params
        self.memory = place.new_memory(policy)
        self.tables = policy.tables(len(place.tapes), place.scenario.horizon)
        self.horizon = place.scenario.horizon
        self.calls = policy.entry.calls
        self.settings = place.scenario.purse
        self.rule = self.settings.offer.entry
        self.rule_params = self.settings.offer.params
        self.rule_memory = place.new_memory(self.settings.offer)
        self.rule_calls = self.rule.calls
        self.offers = np.zeros(len(place.tapes))
        self.shown = sealed(self.offers)
        self.posted = 0  # the arm that carries the offer
        self.directed = np.zeros(len(place.tapes), np.int64)
        self._search = np.zeros(2, np.int64)
        self.unreported = len(place.tapes)

    def post(self, visit: Visit, target: int | None = None, offer: float | None = None) -> None:
        """Choose the arm to promote to a customer who arrives, and post the offer for it.

        A given `target` or `offer` replaces the choice of the policy or the price. These are still
        asked, so that their memory and their random draws do not depend on the replacement.
        """
        self.offers[self.posted] = 0.0
        rivals = self.settings.also > 0
        if self.unreported:
            visit.seeded = True
            visit.target = next_unreported(self.place.book, self.directed, self._search)
            self.directed[visit.target] += 1
        else:
            self.meet(visit)
            promoted = self.promote(visit)
            visit.target = promoted if target is None else int(target)
            if rivals:
                self.offers = self.offer_beside(visit)
                self.shown = sealed(self.offers)
            quoted = self.quote(visit, visit.target)
            visit.offer = quoted if offer is None else float(offer)
            self.offers[visit.target] = visit.offer
            self.posted = visit.target
        visit.posted.succeed(Board(visit.target, self.shown, rivals or self.settings.fees))

    def meet(self, visit: Visit) -> None:
        """Let a customer read the record, and find out about her what the controller may know."""
        if visit.is_met or self.unreported:
            return
        visit.is_met = True
        if self.place.disclosure is not None:
            self.place.disclosure.show(visit.number)
        self.customers.perceive(visit)

    def offer_beside(self, visit: Visit) -> NDArray[np.float64]:
        """Make offers on other arms too, those with the fewest reports first."""
        book = self.place.book
        offers, marks = np.zeros_like(self.offers), np.zeros_like(self.offers)
        posted = []
        for _ in range(self.settings.also):
            arm = next_to_offer(book, visit.target, marks)
            if arm < 0:
                break
            marks[arm] = 1.0
            offers[arm] = self.quote(visit, arm)
            posted.append((arm, float(offers[arm])))
        visit.beside = tuple(posted)
        return offers

    def quote(self, visit: Visit, arm: int) -> float:
        """The offer to this customer for an arm: the price, as far as the purse can afford it."""
        place, customer = self.place, visit.number
        if self.settings.is_least:
            price = least_offer(place.view, arm)
        else:
            error, fees = self.settings.misjudgement, self.settings.fees
            gap = misjudged(self.gap(arm), error, place.offers_rng, fees)
            price = self.price(visit, arm, gap)
        if not (is_number(price) and is_offer(price, self.settings.fees)):
            raise bad_offer(self.rule, price, customer, place.replication, self.settings.fees)
        if self.settings.is_least:
            return price
        return float(affordable(place.purse, customer, float(price)))

    def gap(self, arm: int) -> float:
        """What a customer gives up for an arm: this one, if she is known, or one who is greedy."""
        fees = self.settings.fees
        if self.settings.knows == "customers":
            return personal_gap(self.customers.values, float(self.customers.money[0]), arm, fees)
        if fees:
            return personal_gap(self.place.view.means, 1.0, arm, True)
        return least_offer(self.place.view, arm)

    def price(self, visit: Visit, arm: int, gap: float) -> float:
        """The price that the pricing rule asks for."""
        place, customer = self.place, visit.number
        return guarded(  # type: ignore[no-any-return]
            self.rule_calls["act"],
            (
                customer,
                self.horizon,
                arm,
                gap,
                place.public,
                visit.known,
                place.public_purse,
                self.rule_memory,
                self.rule_params,
                place.offers_rng,
            ),
            (self.rule, customer, place.replication),
        )

    def promote(self, visit: Visit) -> int:
        """The arm that the policy wants this customer to take."""
        place, customer, arms = self.place, visit.number, len(self.place.tapes)
        target = guarded(
            self.calls["act"],
            (
                customer,
                self.horizon,
                place.public,
                place.view,
                visit.known,
                place.public_purse,
                self.tables,
                self.memory,
                self.params,
                place.policy_rng,
            ),
            (self.policy, customer, place.replication),
        )
        if not is_arm(target) or not 0 <= target < arms:
            raise bad_target(self.policy, target, arms, customer, place.replication)
        return int(target)

    def hear_answer(self, visit: Visit) -> None:
        """Tell the pricing rule and the policy what a customer chose."""
        place, number, target, offer = self.place, visit.number, visit.target, visit.offer
        if answered := self.rule_calls.get("answered"):
            own = self.rule_memory, self.rule_params, place.offers_rng
            arguments = (number, target, offer, visit.chosen == target, visit.known, *own)
            guarded(answered, arguments, (self.rule, number, place.replication))
        if answered := self.calls.get("answered"):
            own = self.memory, self.params, place.policy_rng
            choice = (number, target, offer, visit.chosen, visit.known, place.public, *own)
            guarded(answered, choice, (self.policy, number, place.replication))

    def read_report(self, visit: Visit) -> None:
        """Record a report in the book, and let the policy learn from it."""
        place, number = self.place, visit.number
        if place.book.pulls[visit.arm] == 0:
            self.unreported -= 1
        record(place.book, visit.arm, visit.told)
        if place.disclosure is not None:
            place.disclosure.hear(visit)
        if learn := self.calls.get("learn"):
            own = self.memory, self.params, place.policy_rng
            arguments = (number, visit.arm, visit.told, place.public, *own)
            guarded(learn, arguments, (self.policy, number, place.replication))
