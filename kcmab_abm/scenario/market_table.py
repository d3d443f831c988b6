"""The table of the market: arms, customers, arrivals and frictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from kcmab_abm.catalogue.entries import LARGEST_MARKET, LARGEST_MEMORY, Settings
from kcmab_abm.catalogue.registry import BEHAVIOURS
from kcmab_abm.scenario.arms_tables import build_arms
from kcmab_abm.scenario.arrivals import Arrivals, ArrivalsTable
from kcmab_abm.scenario.change import ChangeTable, build_change, check_count
from kcmab_abm.scenario.durations import Duration, Time, build_duration
from kcmab_abm.scenario.entry_tables import (
    LawTable,
    MixtureTable,
    check_memory,
    one_or_list,
)
from kcmab_abm.scenario.fields import Amount, Customers, Problems, built_once
from kcmab_abm.scenario.random_arms import RandomArmsTable
from kcmab_abm.scenario.world import Arm, Choice, Market

MOST_TABULATED = 64  # arms with a table of rewards: each costs time and memory

Capacity = Annotated[
    Annotated[Customers, Tag("table")]
    | Annotated[Annotated[list[Customers], Field(min_length=1)], Tag("list")],
    Discriminator(one_or_list),
]


class MarketTable(Settings):
    """The market in which the policies are compared."""

    arms: Any
    change: ChangeTable | None = Field(None, description="change of the true means")
    customers: Any
    disclosure: Any
    arrivals: ArrivalsTable = Field(
        {"process": "slots"}, validate_default=True, description="when customers come"
    )
    ties: Literal["random", "first"] = Field(
        "random", description="how ties are broken; 'first' is for comparison only"
    )
    seeding_cost: Amount = Field(
        0.0, description="paid to a customer directed to an arm with no report"
    )
    service_time: Time = Field(0.0, description="time from the choice to the end of consumption")
    report_delay: Time = Field(
        0.0, description="time from the end of consumption until the report is published"
    )
    report_probability: float = Field(
        1.0, gt=0, le=1, description="probability that a customer reports her reward"
    )
    capacity: Capacity | None = Field(
        None, description="customers that an arm serves at a time: one number, or one per arm"
    )
    when_full: Literal["wait", "switch", "leave"] = Field(
        "wait", description="what a customer does if her arm is busy"
    )
    patience: Time | None = Field(
        None, description="longest time that a customer waits; unlimited by default"
    )

    @built_once
    def build(self, folder: Path, horizon: int, valued: bool = False) -> Market:
        """Return the market for the engines; files are relative to `folder`.

        If `valued`, customers note what arms are worth to them, for measures.
        """
        problems = Problems()
        arrivals = self._arrivals(folder, horizon, problems)
        arms = self._arms(folder, problems)
        customers = self._customers(len(arms), horizon, valued, problems)
        market = Market(
            arms=arms,
            customers=customers,
            disclosure=type(self.disclosure).build(
                self.disclosure, customers.entry, len(arms), horizon, problems
            ),
            arrivals=arrivals,
            ties=self.ties,
            seeding_cost=self.seeding_cost,
            service_time=self._time("service_time", problems),
            report_delay=self._time("report_delay", problems),
            report_probability=self.report_probability,
            change=build_change(self.change, arms, problems),
            capacity=self._capacity(arms, problems),
            when_full=self.when_full,
            patience=None if self.patience is None else self._time("patience", problems),
            kinds=self.customers.shown if isinstance(self.customers, MixtureTable) else (),
        )
        problems.tell()
        return market

    def _arms(self, folder: Path, problems: Problems) -> tuple[Arm, ...]:
        several = isinstance(self.arms, list)
        tables: list[LawTable | RandomArmsTable] = self.arms if several else [self.arms]
        arms: list[Arm] = []
        unusable = False
        for place, table in enumerate(tables):
            try:
                arms += build_arms(table, folder, False)
            except ValueError as error:
                problems.add(f"market.arms[{place}]" if several else "market.arms", error)
                unusable = True
        if unusable:
            problems.tell()  # other settings cannot be checked without the arms
        tabulated = sum(arm.law.tabulate is not None and arm.prior is None for arm in arms)
        if self.change is None and 0 < tabulated <= MOST_TABULATED:
            arms = [arm for table in tables for arm in build_arms(table, folder, True)]
        if len(arms) > LARGEST_MARKET:
            problems.add("market.arms", f"must be at most {LARGEST_MARKET} arms, got {len(arms)}")
        elif len(arms) * max(len(arm.row) for arm in arms) > LARGEST_MEMORY:
            problems.add(
                "market.arms",
                f"{len(arms):,} arms with up to {max(len(arm.row) for arm in arms):,} numbers are "
                f"too large, at most {LARGEST_MEMORY:,} numbers are allowed; round the rewards",
            )
        return tuple(arms)

    def _customers(self, arms: int, horizon: int, valued: bool, problems: Problems) -> Choice:
        try:
            customers: Choice = type(self.customers).build(self.customers, valued)
        except ValueError as error:
            problems.add("market.customers.of", error)
            return Choice(BEHAVIOURS["greedy"], "greedy")
        check_memory("market.customers", customers, arms, horizon, problems)
        return customers

    def _arrivals(self, folder: Path, horizon: int, problems: Problems) -> Arrivals:
        try:
            return self.arrivals.build(folder, horizon)
        except ValueError as error:
            problems.add("market.arrivals.file", error)
            return Arrivals()

    def _capacity(self, arms: tuple[Arm, ...], problems: Problems) -> tuple[int, ...] | None:
        if self.capacity is None:
            for word, idle in (("patience", None), ("when_full", "wait")):
                if getattr(self, word) != idle:
                    problems.add(f"market.{word}", "needs a capacity, and there is none")
            return None
        places = self.capacity if isinstance(self.capacity, list) else [self.capacity] * len(arms)
        check_count("market.capacity", places, arms, problems)
        if self._time("service_time", Problems()).is_zero:
            problems.add("market.capacity", "needs a service_time > 0, or no arm is ever busy")
        if self.when_full != "wait" and self.patience is not None:
            words = "is for customers who wait, so when_full must be 'wait'"
            problems.add("market.patience", words)
        return tuple(places)

    def _time(self, word: str, problems: Problems) -> Duration:
        return build_duration(f"market.{word}", getattr(self, word), problems)
