"""The customers: they arrive one after another, choose an arm, consume, report and leave."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from kcmab_abm.catalogue.composition import is_mixture, value_of
from kcmab_abm.catalogue.perception import BLIND, steps
from kcmab_abm.market.channel import Arrival, Channel, Process
from kcmab_abm.market.play_errors import bad_arm, bad_report, bad_reward, guarded
from kcmab_abm.market.queue import Queue
from kcmab_abm.market.visit import Visit
from kcmab_abm.model.budget import charge
from kcmab_abm.model.customer import Customer
from kcmab_abm.model.offers import Board

if TYPE_CHECKING:
    from kcmab_abm.market.place import MarketPlace


_WHOLE = (int, np.integer, np.bool_)
_NUMBER = (float, int, np.floating, np.integer, np.bool_)


def is_arm(answer: object) -> bool:
    """Return True if the value returned by a policy or behaviour is an integer."""
    return isinstance(answer, _WHOLE)


def is_number(answer: object) -> bool:
    """Return True if the value returned by a function is a number, not an array, for example."""
    return isinstance(answer, _NUMBER)


class Customers:
    """All customers of the market; they share one behaviour and its memory."""

    def __init__(self, place: MarketPlace) -> None:
        self.place = place
        self.choice = place.scenario.market.customers
        self.params = self.choice.params
        self.memory = place.new_memory(self.choice)
        calls = self.choice.entry.calls
        self.take = calls["act"]
        self.hear = calls.get("learn")
        self.report = calls.get("report")
        self.is_mixed = is_mixture(self.choice.entry)
        self.value_of = None
        if place.scenario.measures.asks_for("value"):
            self.value_of = value_of(self.choice.entry)
        sight = place.scenario.purse.sight(place.scenario.market)
        self.steps = None if sight == BLIND else steps(self.choice.entry, sight)
        self.values = np.zeros(len(place.tapes))  # of the current customer, if they are known
        self.money = np.zeros(1)
        self.queue = Queue(place, self.consume)

    def arrive(self) -> Process:
        """Let each customer in at her time of arrival."""
        env = self.place.env
        before = 0.0
        for number, clock in enumerate(self.place.clock, 1):
            yield Arrival(env, clock - before)
            before = clock
            env.process(self.visit(Visit(number, clock, env.event())))
        if self.place.is_timed and number < self.place.scenario.horizon:
            # More customers would come before the reports that are still on their way.
            self.place.reports = Channel(env)

    def visit(self, visit: Visit) -> Process:
        """One customer: arrive, read the board, choose, consume, report."""
        place = self.place
        service, delay = place.draw_durations() if place.is_timed else (0.0, 0.0)
        if place.counters:
            visit.patience = place.draw_patience()
        if not place.prospects.steady:
            place.prospects.advance(visit.number)
            visit.means = place.prospects.means
        place.arrivals.send(visit)
        board = yield visit.posted
        visit.arm = visit.target if visit.seeded else self.choose(visit, board)
        if self.is_mixed:
            visit.kind = float(self.memory.kind[0])
        if self.value_of is not None and not visit.seeded:
            arms = range(len(place.tapes))
            visit.values = [float(self.value_of(self.memory, arm)) for arm in arms]
        if visit.arm >= 0:
            visit.payment = float(board.offers[visit.arm])
            if place.purse.counted:
                charge(place.purse, visit.payment)
        if place.choices is not None and not visit.seeded:
            visit.chosen = visit.arm
            place.choices.send(visit)
        if place.counters and visit.arm >= 0:
            yield from self.queue.stand(visit, board, service)
        elif visit.arm >= 0:
            self.consume(visit)
            if service > 0.0:
                yield place.env.timeout(service)
        place.receipts.send(visit)
        if visit.arm >= 0 and (place.all_report or place.is_reported(visit.number)):
            if delay > 0.0:
                yield place.env.timeout(delay)
            place.reports.send(visit)

    def consume(self, visit: Visit) -> None:
        """Draw the reward of the arm taken, and decide what to report."""
        tape, replication = self.place.tapes[visit.arm], self.place.replication
        mean = None if visit.means is None else float(visit.means[visit.arm])
        reward = guarded(tape.pull, (mean,), (tape.law, visit.number, replication))
        if not (is_number(reward) and 0.0 <= reward <= 1.0):
            raise bad_reward(tape.law, reward, visit.number, replication)
        visit.reward = visit.told = float(reward)
        if self.report is not None:
            visit.told = self.tell(visit)

    def tell(self, visit: Visit) -> float:
        """The report of a customer, where it may differ from her reward."""
        assert self.report is not None
        entry, replication = self.choice.entry, self.place.replication
        if self.is_mixed:  # others may have chosen while she stood in line
            self.memory.kind[0] = visit.kind
        own = self.memory, self.params, self.place.customers_rng
        arguments = (visit.reward, visit.payment, *own)
        told = guarded(self.report, arguments, (entry, visit.number, replication))
        if not (is_number(told) and -math.inf < told < math.inf):
            raise bad_report(entry, told, visit.number, replication)
        return float(told)

    def perceive(self, visit: Visit) -> None:
        """Let a customer show the controller what it may know, before it posts an offer."""
        if self.steps is None:
            return
        place = self.place
        own = self.memory, self.params, place.customers_rng
        arguments = (visit.number, place.view, self.values, self.money, *own)
        whose = (self.choice.entry, visit.number, place.replication)
        visit.known = Customer(int(guarded(self.steps.perceive, arguments, whose)))

    def choose(self, visit: Visit, board: Board) -> int:
        """The arm that this customer takes, given book and board; -1 if she leaves.

        Her behaviour is asked even if a person chooses for her, so that its draws and its memory do
        not depend on that.
        """
        place, entry, arms = self.place, self.choice.entry, len(self.place.tapes)
        own = self.memory, self.params, place.customers_rng
        take, known = (self.take, ()) if self.steps is None else (self.steps.settle, (self.money,))
        arguments = (visit.number, place.view, board, *known, *own)
        arm = guarded(take, arguments, (entry, visit.number, place.replication))
        if not is_arm(arm) or not -1 <= arm < arms:
            raise bad_arm(entry, arm, arms, visit.number, place.replication)
        return int(arm) if visit.person is None else visit.person

    def hear_report(self, visit: Visit) -> None:
        """Pass a report on to behaviours that remember more than the book records."""
        assert self.hear is not None
        place, own = self.place, (self.memory, self.params, self.place.customers_rng)
        arguments = (visit.number, visit.arm, visit.told, place.public, *own)
        guarded(self.hear, arguments, (self.choice.entry, visit.number, place.replication))
