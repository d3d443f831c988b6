"""The market as the engines use it: arms, customers, arrivals, frictions."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.entries import Entry, Law, Number
from kcmab_abm.catalogue.registry import DISCLOSURES
from kcmab_abm.errors import MarketError
from kcmab_abm.model import streams
from kcmab_abm.model.change import move_means
from kcmab_abm.model.priors import Prior, Priors, draw_means, priors_of
from kcmab_abm.model.timing import Timing
from kcmab_abm.scenario.arrivals import Arrivals
from kcmab_abm.scenario.change import Change
from kcmab_abm.scenario.durations import Duration

_computing = threading.Lock()  # or every thread would compute the same tables


@dataclass(frozen=True)
class Arm:
    """An arm.

    Attributes
    ----------
    law : Law
        The distribution of its rewards.
    row : tuple of float
        The parameters of the law.
    tabulated : bool
        True if rewards are read from a table.
    name : str
        The name in the file that the arm comes from; '' if it comes from none.
    prior : Prior or None
        The prior from which its mean is drawn in every replication; the row is then only a
        template. None if the mean is given.
    drawn : float or None
        The mean drawn for a replication; None if the mean follows from the row.
    """

    law: Law
    row: tuple[float, ...]
    tabulated: bool = False
    name: str = ""
    prior: Prior | None = None
    drawn: float | None = None

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The numbers from which rewards are computed: the row, or a table made from it."""
        if self.tabulated and self.law.tabulate is not None:
            return self.law.tabulate(self.row)
        return self.row

    @property
    def mean(self) -> float:
        """The expected reward, mu_i."""
        self._check_fixed()
        return self.law.mean(self.row) if self.drawn is None else self.drawn

    @property
    def variance(self) -> float:
        """The variance of a reward."""
        self._check_fixed()
        return self.law.variance(self.row)

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest mean that it may have in a replication."""
        return (self.mean, self.mean) if self.prior is None else (self.prior.low, self.prior.high)

    def with_mean(self, mean: float) -> Arm:
        """Return the arm of a replication in which this mean is drawn."""
        if self.prior is None:
            return self
        row = self.row if self.law.is_own else np.array(self.row, np.float64)
        moved = np.zeros(len(self.row))
        self.law.calls["move"](mean, row, moved)
        return Arm(self.law, tuple(moved.tolist()), name=self.name, drawn=mean)

    def _check_fixed(self) -> None:
        if self.prior is not None:
            raise MarketError(
                "market.arms: means are drawn anew in every replication, so that no arm has one "
                "true mean, which is needed here; give a list of means instead"
            )


@dataclass(frozen=True)
class Choice:
    """A policy, behaviour, pricing rule or disclosure with its settings.

    Attributes
    ----------
    entry : Entry
        The entry of the catalogue.
    label : str
        The name in tables and figures.
    values : tuple of numbers
        The values of its parameters.
    extras : mapping
        The settings that are not numbers.
    """

    entry: Entry
    label: str
    values: tuple[Number, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict, hash=False)
    _blank: dict[tuple[int, int], list[NDArray[np.float64]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    _tables: dict[tuple[int, int], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_blank": {}, "_tables": {}}  # other processes create their own

    @property
    def params(self) -> Any:
        """The parameters by name."""
        return self.entry.params(self.values)

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of customers that a mixture has, by their numbers in the file; (0,) if one."""
        found: tuple[int, ...] = self.extras.get("kinds", (0,))
        return found

    def blank_memory(self, arms: int, horizon: int) -> list[NDArray[np.float64]]:
        """Return the initial memory of a replication; copy it before writing to it."""
        blank = self._blank.get((arms, horizon))
        if blank is None:
            blank = self.entry.blank_memory(arms, self._given(horizon))
            self._blank.clear()  # points with different horizons may share this choice
            self._blank[arms, horizon] = blank
        return blank

    def tables(self, arms: int, horizon: int) -> Any:
        """Return the tables by name, computed once; they are read-only and may be shared."""
        with _computing:
            if (arms, horizon) not in self._tables:
                made = self.entry.new_tables(arms, self._given(horizon))
                self._tables.clear()
                self._tables[arms, horizon] = made
            return self._tables[arms, horizon]

    def _given(self, horizon: int) -> dict[str, Any]:
        numbers = dict(zip(self.entry.parameters, self.values, strict=True))
        return {**numbers, **self.extras, "horizon": horizon}


@dataclass(frozen=True)
class Market:
    """The market in which the policies are compared.

    The attributes are those of the scenario file. `capacity` has one number per arm, or is None if
    arms serve any number of customers at a time; `patience` is None if customers never give up.
    `kinds` are the numbers of the kinds of customers, if the controller sees them.
    """

    arms: tuple[Arm, ...]
    customers: Choice
    arrivals: Arrivals
    ties: str
    seeding_cost: float
    service_time: Duration
    report_delay: Duration
    report_probability: float
    change: Change = field(default_factory=Change)
    capacity: tuple[int, ...] | None = None
    when_full: str = "wait"
    patience: Duration | None = None
    kinds: tuple[int, ...] = ()
    disclosure: Choice = field(default_factory=lambda: Choice(DISCLOSURES["full"], "full"))

    @cached_property
    def is_selective(self) -> bool:
        """True if customers see something other than the whole record."""
        return self.disclosure.entry is not DISCLOSURES["full"]

    @property
    def is_random(self) -> bool:
        """True if the means of some arms are drawn anew in every replication."""
        return any(arm.prior is not None for arm in self.arms)

    @cached_property
    def priors(self) -> Priors:
        """The priors of all arms, for the engines."""
        return priors_of([(arm.prior, arm.mean if arm.prior is None else 0.0) for arm in self.arms])

    def drawn(self, seed: int, replication: int) -> Market:
        """Return the market of one replication, whose means are fixed.

        Parameters
        ----------
        seed, replication : int
            The seed of the scenario and the number of the replication, on which alone the means
            depend.

        Returns
        -------
        Market
            This market if its means are not random.
        """
        if not self.is_random:
            return self
        means = np.empty(len(self.arms))
        key = streams.replication_key(seed, replication, streams.MEANS)
        draw_means(self.priors, streams.keyed_uniforms(key, 0, len(means)), means)
        arms = zip(self.arms, means.tolist(), strict=True)
        return replace(self, arms=tuple(arm.with_mean(mean) for arm, mean in arms))

    @property
    def means(self) -> NDArray[np.float64]:
        """The true means, mu_i; if they change, those at the start."""
        return np.array([arm.mean for arm in self.arms])

    @property
    def gaps(self) -> NDArray[np.float64]:
        """The gap of each arm, mu_1 - mu_i; last, for a customer who leaves (-1), mu_1 itself."""
        means = self.means
        return np.append(means.max() - means, means.max())

    @property
    def is_steady(self) -> bool:
        """True if the means do not change."""
        return self.change.kind == "none"

    def means_over_time(self, seed: int, replication: int, customers: int) -> NDArray[np.float64]:
        """Return the true means at every customer's arrival.

        Parameters
        ----------
        seed, replication : int
            The seed of the scenario and the number of the replication.
        customers : int
            The number of customers.

        Returns
        -------
        ndarray
            One row per customer, one column per arm.
        """
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
    def is_timed(self) -> bool:
        """True if customers take time to consume, or if their reports are delayed."""
        return not (self.service_time.is_zero and self.report_delay.is_zero)

    @property
    def timing(self) -> Timing:
        """The arrivals and durations, for the engines."""
        arrivals = self.arrivals
        return Timing(
            arrivals.number,
            1.0 / arrivals.rate,
            np.array(arrivals.times, np.float64),
            self.service_time.span,
            self.report_delay.span,
        )

    @property
    def needs_market(self) -> str:
        """Why the scenario needs the market engine; '' if it does not."""
        laws = {arm.law.name for arm in self.arms if arm.prior and not arm.law.is_own}
        if laws:
            return f"random means of arms with a law from another file ({', '.join(laws)})"
        if self.capacity is None:
            return ""
        return "arms serve few customers at a time (capacity)"
