"""The customers: they come one after another, look, choose, consume, report and leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import simpy

from kcmab_abm.errors import PlayError
from kcmab_abm.market.wire import Arrival, Process
from kcmab_abm.offers import Board

if TYPE_CHECKING:
    from kcmab_abm.market.place import MarketPlace


class Visit:
    """One customer's visit, filled in as it goes along."""

    target: int = -1
    offer: float = 0.0
    seeded: bool = False
    arm: int = -1
    reward: float = 0.0
    payment: float = 0.0

    def __init__(self, number: int, clock: float, posted: simpy.Event) -> None:
        self.number = number
        self.clock = clock
        self.posted = posted


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
        place.arrivals.send(visit)
        board = yield visit.posted
        visit.arm = visit.target if visit.seeded else self.choose(visit, board)
        if visit.arm >= 0:
            visit.reward = place.tapes[visit.arm].pull()
            visit.payment = float(board.offers[visit.arm])
        if service > 0.0:
            yield place.env.timeout(service)
        place.receipts.send(visit)
        if visit.arm >= 0 and (place.all_report or place.is_reported(visit.number)):
            if delay > 0.0:
                yield place.env.timeout(delay)
            place.reports.send(visit)

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
                visit.arm, visit.reward, place.book, self.memory, self.params, place.customers_rng
            )
