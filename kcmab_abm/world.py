"""The world of an experiment: arms, customers, arrivals, frictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm import streams
from kcmab_abm.catalogue import PRICING
from kcmab_abm.changes import STEADY, Changes, move_means
from kcmab_abm.entries import Entry, Law, Number
from kcmab_abm.purse import Purse, new_purse


@dataclass(frozen=True)
class Arm:
    """An arm: its law and the law's numbers."""

    law: Law
    row: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The expected reward, mu_i."""
        return self.law.mean(self.row)

    @property
    def variance(self) -> float:
        """The variance of a reward."""
        return self.law.variance(self.row)


@dataclass(frozen=True)
class Choice:
    """A policy, behaviour or pricing rule with its parameters filled in.

    `extras` are the settings that are not numbers.
    """

    entry: Entry
    label: str
    values: tuple[Number, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def params(self) -> Any:
        """The parameters by name."""
        return self.entry.params(self.values)

    def blank_memory(self, arms: int) -> list[NDArray[np.float64]]:
        """The memory with which a replication begins."""
        numbers = dict(zip(self.entry.parameters, self.values, strict=True))
        return self.entry.blank_memory(arms, {**numbers, **self.extras})


@dataclass(frozen=True)
class Duration:
    """How long something takes: constant (`low`), exponential (mean `low`) or uniform."""

    law: str
    low: float
    high: float = 0.0

    @property
    def is_zero(self) -> bool:
        """Whether it takes no time at all, for anybody."""
        return self.low == 0.0 and self.high == 0.0

    def draw(self, rng: Generator) -> float:
        """One customer's duration."""
        if self.law == "constant":
            return self.low
        if self.law == "exponential":
            return float(rng.exponential(self.low))
        return float(rng.uniform(self.low, self.high))


@dataclass(frozen=True)
class Arrivals:
    """When customers come: in slots, at a Poisson rate, or at given times."""

    process: str
    rate: float = 1.0
    times: tuple[float, ...] = field(default=(), repr=False)

    def clock(
        self, customers: int, rng: Generator, served: int = 0, now: float = 0.0
    ) -> NDArray[np.float64]:
        """The arrival times of the next customers; `served` came before, the last of them `now`."""
        if self.process == "poisson":
            waits = rng.exponential(1.0 / self.rate, customers)
            waits[0] += now
            return np.cumsum(waits)
        if self.process == "trace":
            return np.array(self.times[served : served + customers])
        return np.arange(served + 1.0, served + customers + 1.0)


@dataclass(frozen=True)
class Offers:
    """How the controller makes offers, and what it can spend on them.

    `also` is the number of arms beside the target that carry an offer too; `error` is the standard
    deviation of the controller's estimate of what a customer gives up.
    """

    rule: Choice
    cap: float = np.inf
    budget: float = np.inf
    period: int = 0
    allowance: float = np.inf
    pays_rest: bool = False
    also: int = 0
    error: float = 0.0

    @cached_property
    def is_plain(self) -> bool:
        """Whether one arm at a time carries an offer that nothing blurs or limits."""
        limits = (self.cap, self.budget, self.allowance)
        return self.also == 0 and self.error == 0.0 and min(limits) == np.inf

    @cached_property
    def is_least(self) -> bool:
        """Whether the controller pays the gap and nothing else, as in the paper."""
        return self.is_plain and self.rule.entry.name == "least"

    def new_purse(self) -> Purse:
        """A full purse."""
        return new_purse(self.cap, self.budget, self.period, self.allowance, self.pays_rest)


def bad_price(rule: Choice, price: float, customer: int) -> str:
    """The message for a pricing rule that asks for what cannot be paid."""
    return (
        f"pricing rule {rule.entry.name!r} offered {price} to customer {customer}; "
        "an offer is a finite number >= 0"
    )


def plain_offers() -> Offers:
    """The paper's controller: the least offer, on one arm, out of a purse without a bottom."""
    least = PRICING.find("least")
    return Offers(Choice(least, least.name))


@dataclass(frozen=True)
class Change:
    """How the true means change; see `Changes` for what the numbers say."""

    kind: int = STEADY
    at: tuple[int, ...] = ()
    levels: tuple[tuple[float, ...], ...] = ()
    step: float = 0.0
    low: float = 0.0
    high: float = 1.0
    amplitude: float = 0.0
    period: float = 1.0
    phases: tuple[float, ...] = ()

    def arrays(self) -> Changes:
        """The same, as both engines read it."""
        arms = len(self.levels[0]) if self.levels else 0
        levels = np.array(self.levels, np.float64).reshape(len(self.at), arms)
        return Changes(
            self.kind,
            np.array(self.at, np.int64),
            levels,
            self.step,
            self.low,
            self.high,
            self.amplitude,
            self.period,
            np.array(self.phases, np.float64),
        )


@dataclass(frozen=True)
class Capacity:
    """How many customers each arm serves at a time, and what one does who finds it busy."""

    places: tuple[int, ...]
    when_full: str
    patience: Duration | None = None


@dataclass(frozen=True)
class Market:
    """The world in which the controllers are compared."""

    arms: tuple[Arm, ...]
    customers: Choice
    arrivals: Arrivals
    first_ties: bool
    seeding_cost: float
    service_time: Duration
    report_delay: Duration
    report_probability: float
    offers: Offers = field(default_factory=plain_offers)
    change: Change = Change()
    capacity: Capacity | None = None

    @property
    def means(self) -> NDArray[np.float64]:
        """The true means, mu_i; where arms change, those at the start."""
        return np.array([arm.mean for arm in self.arms])

    @property
    def gaps(self) -> NDArray[np.float64]:
        """What each arm forgoes, mu_1 - mu_i; last, for a customer who leaves (-1), mu_1 itself."""
        means = self.means
        return np.append(means.max() - means, means.max())

    @property
    def rivals(self) -> int:
        """How many arms can carry an offer beside the target."""
        return min(self.offers.also, len(self.arms) - 1)

    @property
    def is_steady(self) -> bool:
        """Whether the means stay as they are."""
        return self.change.kind == STEADY

    def means_over_time(self, seed: int, replication: int, customers: int) -> NDArray[np.float64]:
        """The true means that each customer finds, one row a customer."""
        first = self.means
        count = len(first)
        key = streams.replication_key(seed, replication, streams.CHANGES)
        draws = streams.keyed_uniforms(key, count, customers * count).reshape(customers, count)
        changes = self.change.arrays()
        rows = np.empty((customers, count))
        now = first.copy()
        for place in range(customers):
            move_means(place + 1, changes, first, draws[place], now)
            rows[place] = now
        return rows

    @property
    def needs_clock(self) -> str:
        """Why customers may overlap in time and only the market engine will do; '' if not."""
        if self.capacity is not None:
            return "arms serve few customers at a time (capacity)"
        if not self.service_time.is_zero:
            return "customers take time to consume (service_time)"
        if not self.report_delay.is_zero:
            return "reports are delayed (report_delay)"
        return ""
