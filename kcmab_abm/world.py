"""The world of an experiment: arms, customers, arrivals, frictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue import Entry, Law, Number


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
    """A policy or behaviour with its parameters filled in."""

    entry: Entry
    label: str
    values: tuple[Number, ...]

    @property
    def params(self) -> Any:
        """The parameters by name."""
        return self.entry.params(self.values)


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

    def clock(self, customers: int, rng: Generator) -> NDArray[np.float64]:
        """The arrival times of the first customers."""
        if self.process == "poisson":
            return np.cumsum(rng.exponential(1.0 / self.rate, customers))
        if self.process == "trace":
            return np.array(self.times[:customers])
        return np.arange(1.0, customers + 1.0)


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

    @property
    def means(self) -> NDArray[np.float64]:
        """The true means, mu_i."""
        return np.array([arm.mean for arm in self.arms])

    @property
    def gaps(self) -> NDArray[np.float64]:
        """What each arm forgoes, mu_1 - mu_i; last, for a customer who leaves (-1), mu_1 itself."""
        means = self.means
        return np.append(means.max() - means, means.max())

    @property
    def needs_clock(self) -> str:
        """Why customers may overlap in time and only the market engine will do; '' if not."""
        if not self.service_time.is_zero:
            return "customers take time to consume (service_time)"
        if not self.report_delay.is_zero:
            return "reports are delayed (report_delay)"
        return ""
