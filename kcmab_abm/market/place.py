"""The market place: what the agents share, and nothing that decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from kcmab_abm import streams
from kcmab_abm.book import empty_book
from kcmab_abm.changes import highest_mean, move_means
from kcmab_abm.market.wire import Wire
from kcmab_abm.scenario import Scenario
from kcmab_abm.world import Arm, Choice


class Tape:
    """The rewards of one arm, revealed one by one as the arm is pulled."""

    def __init__(self, arm: Arm, key: np.uint64) -> None:
        self._law = arm.law
        self._reward = arm.law.reward
        self._row = arm.row
        self._key = key
        self._uniforms: list[float] = []
        self.pulls = 0

    def pull(self, mean: float | None = None) -> float:
        """The next reward; if the arm changes, at the mean that it has now."""
        if self.pulls == len(self._uniforms):
            more = max(16, self.pulls)
            self._uniforms.extend(streams.keyed_uniforms(self._key, self.pulls, more).tolist())
        uniform = self._uniforms[self.pulls]
        self.pulls += 1
        if mean is None or self._law.move is None:
            return float(self._reward(uniform, self._row))
        moved = np.zeros(len(self._row))
        self._law.move(mean, self._row, moved)
        return float(self._reward(uniform, moved))


class Prospects:
    """What the arms truly promise to the customer who comes now; nobody in the market knows."""

    def __init__(self, scenario: Scenario, key: np.uint64) -> None:
        market = scenario.market
        self.steady = market.is_steady
        self.means = market.means
        self._first = market.means
        self.gaps = market.gaps.tolist()
        self._changes = market.change.arrays()
        self._key = key

    def advance(self, customer: int) -> None:
        """Move the means to where this customer finds them."""
        arms = len(self.means)
        draws = streams.keyed_uniforms(self._key, customer * arms, arms)
        self.means = self.means.copy()  # earlier customers may still stand in line
        move_means(customer, self._changes, self._first, draws, self.means)

    def regret(self, arm: int, means: NDArray[np.float64]) -> float:
        """What the best arm promises beyond this one (-1: none), at these means."""
        return highest_mean(means) - (float(means[arm]) if arm >= 0 else 0.0)


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
        self.offers_rng = self._open(streams.OFFERS)
        self.prospects = Prospects(scenario, self._key(streams.CHANGES))
        self.purse = market.offers.new_purse()
        self.clock = market.arrivals.clock(scenario.horizon, self._open(streams.ARRIVALS)).tolist()
        self.arrivals = Wire(self.env)
        learns = market.offers.rule.entry.learn is not None
        self.choices = Wire(self.env) if learns else None  # if there is anybody to listen
        self.receipts = Wire(self.env)
        self.reports = Wire(self.env)
        self.counters = self._new_counters()
        self.all_report = market.report_probability >= 1.0
        self.takes_time = bool(market.needs_clock)
        self._durations_rng = self._open(streams.DURATIONS)
        self._patience_rng = self._open(streams.PATIENCE)
        self._reports_key = self._key(streams.REPORTS)

    def new_memory(self, choice: Choice) -> Any:
        """The arrays that a policy or behaviour may write to, by name."""
        blank = choice.blank_memory(len(self.tapes))
        return choice.entry.memory_fields([array.copy() for array in blank])

    def _new_counters(self) -> list[simpy.Resource]:
        """Where customers are served, one an arm; none where arms serve everybody at once."""
        capacity = self.scenario.market.capacity
        return [simpy.Resource(self.env, places) for places in capacity.places] if capacity else []

    def draw_durations(self) -> tuple[float, float]:
        """How long the next customer will take to consume, and her report to arrive."""
        market, rng = self.scenario.market, self._durations_rng
        return market.service_time.draw(rng), market.report_delay.draw(rng)

    def draw_patience(self) -> float:
        """How long the next customer would stay in a line; drawn whether or not there is one."""
        capacity = self.scenario.market.capacity
        if capacity is None or capacity.patience is None:
            return np.inf
        return capacity.patience.draw(self._patience_rng)

    def is_reported(self, customer: int) -> bool:
        """Whether this customer will report at all."""
        coin = streams.keyed_uniforms(self._reports_key, customer, 1)[0]
        return bool(coin < self.scenario.market.report_probability)

    def _open(self, purpose: int) -> np.random.Generator:
        return streams.Stream().open(self.scenario.seed, self.replication, purpose)

    def _key(self, purpose: int) -> np.uint64:
        return streams.replication_key(self.scenario.seed, self.replication, purpose)
