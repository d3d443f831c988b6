"""The market place: the state that the agents share. It makes no decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from kcmab_abm.market.channel import Channel
from kcmab_abm.market.disclosure import Disclosure
from kcmab_abm.market.play_errors import guarded
from kcmab_abm.model import streams
from kcmab_abm.model.book import empty_book, sealed, sealed_book
from kcmab_abm.model.budget import sealed_purse
from kcmab_abm.model.change import highest_mean, move_means
from kcmab_abm.model.timing import draw_duration
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Arm, Choice


class Tape:
    """The rewards of one arm, revealed one by one as the arm is pulled."""

    def __init__(self, arm: Arm, key: np.uint64) -> None:
        self.law = arm.law
        self._reward: Callable[..., float] = arm.law.calls["reward"]
        self._move = arm.law.calls.get("move")
        # Python's numbers are faster to read; a user's law gets an array, as in compiled code.
        self._row: Any = (
            arm.numbers if arm.law.is_own else sealed(np.array(arm.numbers, np.float64))
        )
        self._key = key
        self._uniforms: list[float] = []
        self.pulls = 0

    def pull(self, mean: float | None = None) -> float:
        """The next reward, at the current `mean` if the arm changes."""
        if self.pulls == len(self._uniforms):
            more = max(16, self.pulls)
            self._uniforms.extend(streams.keyed_uniforms(self._key, self.pulls, more).tolist())
        uniform = self._uniforms[self.pulls]
        self.pulls += 1
        if mean is None or self._move is None:
            return self._reward(uniform, self._row)
        moved = np.zeros(len(self._row))
        self._move(mean, self._row, moved)
        return self._reward(uniform, moved if self.law.is_own else sealed(moved))


class Prospects:
    """The true means for the current customer, which no agent knows."""

    def __init__(self, scenario: Scenario, key: np.uint64) -> None:
        market = scenario.market
        self.steady = market.is_steady
        self.means = market.means
        self._first = market.means
        self.gaps = market.gaps.tolist()
        self._changes = market.change.arrays()
        self._key = key

    def advance(self, customer: int) -> None:
        """Move the means to those of this customer."""
        arms = len(self.means)
        draws = streams.keyed_uniforms(self._key, customer * arms, arms)
        self.means = self.means.copy()  # earlier customers may still stand in line
        move_means(customer, self._changes, self._first, draws, self.means)

    def regret(self, arm: int, means: NDArray[np.float64]) -> float:
        """The regret of an arm (-1: none) at these means."""
        return highest_mean(means) - (float(means[arm]) if arm >= 0 else 0.0)


def _of_replication(scenario: Scenario, replication: int) -> Scenario:
    """The scenario with the means that this replication draws, if its market is random."""
    laws = [arm.law for arm in scenario.market.arms if arm.prior and not arm.law.is_own]
    if not laws:
        return scenario.drawn(replication)
    drawn: Scenario = guarded(scenario.drawn, (replication,), (laws[0], 1, replication))
    return drawn


class MarketPlace:
    """The clock, book, channels and arms shared by controller, customers and accountant."""

    def __init__(
        self,
        scenario: Scenario,
        policy: Choice,
        replication: int,
        served: int | None = None,
        is_watched: bool = False,
    ) -> None:
        scenario = _of_replication(scenario, replication)
        market = scenario.market
        self.scenario = scenario
        self.replication = replication
        self.env = simpy.Environment()
        self.book = empty_book(len(market.arms), market.ties == "first")
        self.public = sealed_book(self.book)
        # What customers see: the book, or as much of it as the disclosure shows them.
        self.disclosure = Disclosure(self) if market.is_selective else None
        self.view = self.disclosure.public if self.disclosure else self.public
        self.tapes = [
            Tape(arm, self._key(streams.ARMS + place)) for place, arm in enumerate(market.arms)
        ]
        self.policy_rng = self.open_stream(streams.POLICY)
        self.customers_rng = self.open_stream(streams.CUSTOMERS)
        self.offers_rng = self.open_stream(streams.OFFERS)
        self.prospects = Prospects(scenario, self._key(streams.CHANGES))
        self.purse = scenario.purse.new_purse(is_watched or scenario.watches_purse(policy))
        self.public_purse = sealed_purse(self.purse)
        arrivals, customers = self.open_stream(streams.ARRIVALS), served or scenario.horizon
        self.clock = market.arrivals.clock(customers, arrivals).tolist()
        self.arrivals = Channel(self.env)
        listeners = (policy.entry.answered, scenario.purse.offer.entry.answered)
        self.choices = Channel(self.env) if any(listeners) else None
        self.receipts = Channel(self.env)
        self.reports = Channel(self.env)
        self.counters = self._new_counters()
        self.all_report = market.report_probability >= 1.0
        self.is_timed = market.is_timed
        self._service, self._delay = market.service_time.span, market.report_delay.span
        self._patience = None if market.patience is None else market.patience.span
        self._durations_rng = self.open_stream(streams.DURATIONS)
        self._patience_rng = self.open_stream(streams.PATIENCE)
        self._reports_key = self._key(streams.REPORTS)

    def new_memory(self, choice: Choice) -> Any:
        """New memory arrays for an entry, by name."""
        blank = choice.blank_memory(len(self.scenario.market.arms), self.scenario.horizon)
        return choice.entry.memory_fields([array.copy() for array in blank])

    def _new_counters(self) -> list[simpy.Resource]:
        """One service counter per arm; none where arms serve everybody at once."""
        capacity = self.scenario.market.capacity or ()
        return [simpy.Resource(self.env, places) for places in capacity]

    def draw_durations(self) -> tuple[float, float]:
        """The next customer's service time and the delay of her report."""
        rng = self._durations_rng
        return draw_duration(self._service, rng), draw_duration(self._delay, rng)

    def draw_patience(self) -> float:
        """The next customer's patience; drawn whether or not there is a queue."""
        if self._patience is None:
            return np.inf
        return draw_duration(self._patience, self._patience_rng)

    def is_reported(self, customer: int) -> bool:
        """Return True if this customer reports."""
        coin = streams.keyed_uniforms(self._reports_key, customer, 1)[0]
        return bool(coin < self.scenario.market.report_probability)

    def open_stream(self, purpose: int) -> np.random.Generator:
        """A generator at the start of one stream of this replication."""
        return streams.Stream().open(self.scenario.seed, self.replication, purpose)

    def _key(self, purpose: int) -> np.uint64:
        return streams.replication_key(self.scenario.seed, self.replication, purpose)
