"""The market place: what the agents share, and nothing that decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import simpy

from kcmab_abm import streams
from kcmab_abm.book import empty_book
from kcmab_abm.catalogue import fields_type
from kcmab_abm.market.wire import Wire
from kcmab_abm.scenario import Scenario
from kcmab_abm.world import Arm, Choice


class Tape:
    """The rewards of one arm, revealed one by one as the arm is pulled."""

    def __init__(self, arm: Arm, key: np.uint64) -> None:
        self._reward = arm.law.reward
        self._row = arm.row
        self._key = key
        self._uniforms: list[float] = []
        self.pulls = 0

    def pull(self) -> float:
        """The next reward."""
        if self.pulls == len(self._uniforms):
            more = max(16, self.pulls)
            self._uniforms.extend(streams.keyed_uniforms(self._key, self.pulls, more).tolist())
        uniform = self._uniforms[self.pulls]
        self.pulls += 1
        return float(self._reward(uniform, self._row))


class MarketPlace:
    """Where controller, customers and accountant meet: the clock, the book, the wires, the arms."""

    def __init__(self, scenario: Scenario, replication: int) -> None:
        market = scenario.market
        self.scenario = scenario
        self.replication = replication
        self.env = simpy.Environment()
        self.book = empty_book(len(market.arms), market.first_ties)
        self.tapes = [
            Tape(arm, self._key(streams.ARMS + place)) for place, arm in enumerate(market.arms)
        ]
        self.policy_rng = self._open(streams.POLICY)
        self.customers_rng = self._open(streams.CUSTOMERS)
        self.clock = market.arrivals.clock(scenario.horizon, self._open(streams.ARRIVALS)).tolist()
        self.arrivals = Wire(self.env)
        self.receipts = Wire(self.env)
        self.reports = Wire(self.env)
        self.all_report = market.report_probability >= 1.0
        self.takes_time = bool(market.needs_clock)
        self._durations_rng = self._open(streams.DURATIONS)
        self._reports_key = self._key(streams.REPORTS)

    def new_memory(self, choice: Choice) -> Any:
        """The arrays that a policy or behaviour may write to, by name."""
        sizes = choice.entry.memory_sizes(len(self.tapes), choice.values)
        return fields_type(tuple(choice.entry.memory))(*(np.zeros(size) for size in sizes))

    def draw_durations(self) -> tuple[float, float]:
        """How long the next customer will take to consume, and her report to arrive."""
        market, rng = self.scenario.market, self._durations_rng
        return market.service_time.draw(rng), market.report_delay.draw(rng)

    def is_reported(self, customer: int) -> bool:
        """Whether this customer will report at all."""
        coin = streams.keyed_uniforms(self._reports_key, customer, 1)[0]
        return bool(coin < self.scenario.market.report_probability)

    def _open(self, purpose: int) -> np.random.Generator:
        return streams.Stream().open(self.scenario.seed, self.replication, purpose)

    def _key(self, purpose: int) -> np.uint64:
        return streams.replication_key(self.scenario.seed, self.replication, purpose)
