"""The customers: they come one after another, look, choose, consume, report and leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kcmab_abm.errors import PlayError
from kcmab_abm.market.queue import Queue
from kcmab_abm.market.visit import Visit
from kcmab_abm.market.wire import Arrival, Process
from kcmab_abm.offers import Board
from kcmab_abm.purse import charge

if TYPE_CHECKING:
    from kcmab_abm.market.place import MarketPlace


def is_arm(answer: object) -> bool:
    """Whether what a policy or behaviour returned is a whole number."""
    return isinstance(answer, int | np.integer)


class Customers:
    """Everybody who visits the market, and what they have in common."""

    def __init__(self, place: MarketPlace) -> None:
        self.place = place
        self.choice = place.scenario.market.customers
        self.params = self.choice.params
        self.memory = place.new_memory(self.choice)
        self.report = self.choice.entry.report
        self.is_mixed = bool(self.choice.entry.parts)
        self.queue = Queue(place, self.consume)

    def arrive(self) -> Process:
        """Let the customers in, each at her time."""
        env = self.place.env
        before = 0.0
        for number, clock in enumerate(self.place.clock, 1):
            yield Arrival(env, clock - before)
            before = clock
            env.process(self.visit(Visit(number, clock, env.event())))

    def visit(self, visit: Visit) -> Process:
        """One customer: ring at the door, read the board, choose, consume, report."""
        place = self.place
        service, delay = place.draw_durations() if place.takes_time else (0.0, 0.0)
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
        if visit.arm >= 0:
            visit.payment = float(board.offers[visit.arm])
            if place.purse.limited:
                charge(place.purse, visit.payment)
        if place.choices is not None and not visit.seeded:
            visit.agreed = visit.arm == visit.target
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
        """Draw the reward of the arm taken, and decide what to say of it."""
        tape = self.place.tapes[visit.arm]
        mean = None if visit.means is None else float(visit.means[visit.arm])
        visit.reward = visit.told = tape.pull(mean)
        if self.report is not None:
            if self.is_mixed:  # others may have chosen while she stood in line
                self.memory.kind[0] = visit.kind
            visit.told = self.report(
                visit.reward, visit.payment, self.memory, self.params, self.place.customers_rng
            )

    def choose(self, visit: Visit, board: Board) -> int:
        """What this customer takes, given book and board: an arm, or -1 to leave."""
        place = self.place
        arm = self.choice.entry.act(
            visit.number, place.book, board, self.memory, self.params, place.customers_rng
        )
        if not is_arm(arm) or not -1 <= arm < len(place.tapes):
            raise PlayError(
                f"behaviour {self.choice.entry.name!r} took arm {arm} as customer {visit.number}; "
                f"arms are 0..{len(place.tapes) - 1}, or -1 to leave"
            )
        return int(arm)

    def hear_reports(self) -> Process:
        """Word of mouth, for behaviours that remember more than the book says."""
        place, learn = self.place, self.choice.entry.learn
        if learn is None:
            return
        news = place.reports.next
        while True:
            visit, news = yield news
            learn(
                visit.number,
                visit.arm,
                visit.told,
                place.book,
                self.memory,
                self.params,
                place.customers_rng,
            )
