"""The table of a scenario file, generated from the catalogue, and its JSON Schema."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from kcmab_abm.catalogue.entries import Entry, Law, Settings, integral
from kcmab_abm.catalogue.perception import unknowable
from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
    some_of,
)
from kcmab_abm.catalogue.repeatable import global_randomness
from kcmab_abm.errors import ScenarioError
from kcmab_abm.scenario.arms_tables import arms_tables
from kcmab_abm.scenario.disclosure_table import DisclosureTable
from kcmab_abm.scenario.entry_tables import (
    PolicyTable,
    PricingTable,
    any_of,
    behaviour_tables,
    build_policies,
)
from kcmab_abm.scenario.fields import (
    LARGEST_REPLICATIONS,
    LARGEST_SEED,
    Customers,
    Problems,
    Replications,
    Title,
)
from kcmab_abm.scenario.market_table import MarketTable
from kcmab_abm.scenario.measures import MeasureTable, build_measures
from kcmab_abm.scenario.messages import validated
from kcmab_abm.scenario.needs import unmet
from kcmab_abm.scenario.paths import changed, given
from kcmab_abm.scenario.precision import PrecisionTable
from kcmab_abm.scenario.purse import PurseTable
from kcmab_abm.scenario.sweep import Sweep, SweepTable, point_name, told_once

if TYPE_CHECKING:
    from kcmab_abm.scenario.scenario import Scenario

SAMPLE = 10  # replications that `record = "sample"` keeps by default


class ScenarioTable(Settings):
    """A scenario file."""

    title: Title = Field("", description="one line for tables and figures")
    horizon: Customers = Field(description="customers per replication, T in formulas")
    replications: Replications = Field(1000, description="independent markets")
    precision: PrecisionTable | None = Field(
        None, description="add replications until means are as precise as this"
    )
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED), integral] = Field(
        0, description="seed of the random numbers"
    )
    record: Literal["curves", "paths", "sample"] = Field(
        "curves",
        description="what is kept: sums at checkpoints, every customer, or every customer of some "
        "replications",
    )
    sample: list[Annotated[int, Field(ge=0, lt=LARGEST_REPLICATIONS), integral]] | None = Field(
        None,
        min_length=1,
        max_length=10_000,
        description='replications to keep with record = "sample"; the first ten by default',
    )
    market: Any
    purse: Any
    policy: list[Any] = Field(min_length=1, description="the controllers to compare")
    measures: Any = Field(None, description="what else is counted, by the names of the columns")
    sweep: SweepTable | None = Field(None, description="settings to vary, and how")

    def build(self, folder: Path, known: set[Entry | Law] | None = None) -> Scenario:
        """Return the scenario for the engines; `known` entries are not checked again."""
        from kcmab_abm.scenario.scenario import Scenario  # late: it is made of tables

        known = set() if known is None else known
        problems = Problems()
        measures = build_measures(self.measures, self.horizon, problems)
        valued = measures.asks_for("value")
        market = problems.of(MarketTable.build, self.market, folder, self.horizon, valued)
        purse = problems.of(PurseTable.build, self.purse)
        policies = build_policies(
            self.policy, len(market.arms) if market else None, self.horizon, problems
        )
        labels = [choice.label for choice in policies]
        precision = None
        if self.precision is not None:
            precision = problems.of(self.precision.build, self.replications, labels, measures.names)
        sample = self._sample(problems)
        sweep = self._sweep(problems)
        if market and valued:
            measures.check_values(market.customers.entry, problems)
        if market and purse:
            agents = [*policies, market.customers, purse.offer, market.disclosure]
            used: set[Entry | Law] = {arm.law for arm in market.arms}
            used |= {*(each.entry for each in agents), *measures.entries}
            problems.lines += _unrepeatable(used - known)
            for place, choice in enumerate(policies):
                if needs := choice.entry.needs:
                    for words in unmet(needs, self.horizon, market, purse):
                        problems.add(f"policy[{place}]", f"{choice.entry.name!r} needs {words}")
            if purse.knows == "customers":
                _check_values(market.customers.entry, problems)
            known |= used
        problems.tell()
        assert market is not None
        assert purse is not None
        return Scenario(
            title=self.title,
            horizon=self.horizon,
            replications=self.replications,
            seed=self.seed,
            market=market,
            purse=purse,
            policies=policies,
            _table=self,
            folder=folder,
            sweep=sweep,
            _points=self._points(sweep, labels, folder, known) if sweep else (),
            record=self.record,
            sample=sample,
            precision=precision,
            measures=measures,
        )

    def _sample(self, problems: Problems) -> tuple[int, ...]:
        """Return the replications to record, if only some are."""
        if self.record != "sample":
            if self.sample is not None:
                problems.add("sample", f'needs record = "sample", got record = "{self.record}"')
            return ()
        for each in self.sample or ():
            if each >= self.replications:
                problems.add(
                    "sample", f"no replication {each}; there are 0..{self.replications - 1}"
                )
        return tuple(range(SAMPLE)) if self.sample is None else tuple(dict.fromkeys(self.sample))

    def _sweep(self, problems: Problems) -> Sweep | None:
        if self.sweep is None:
            return None
        axes = self.sweep.axes()
        sharpened = self.precision or any(path.partition(".")[0] == "precision" for path in axes)
        if "replications" in axes and sharpened:
            problems.add(
                "sweep",
                "varies replications, but with a precision they are only the first ones of a "
                "run; leave out one or the other",
            )
        return problems.of(self.sweep.build, self.model_copy(update={"sweep": None}))

    def _points(
        self, sweep: Sweep, labels: Sequence[str], folder: Path, known: set[Entry | Law]
    ) -> tuple[Scenario, ...]:
        """Return the scenarios of the sweep; unchanged tables are checked and built only once."""
        policies = [
            validated(type(each), {**given(each), "label": label})
            for each, label in zip(self.policy, labels, strict=True)
        ]
        base = self.model_copy(update={"sweep": None})
        names = sorted(self.measures or {})
        points: list[Scenario] = []
        found: dict[str, list[str]] = {}
        for number, (point, shown) in enumerate(zip(sweep.points, sweep.shown, strict=True), 1):
            try:
                settings = changed(base, point)
                settings["policy"] = _with_labels(settings["policy"], policies)
                points.append(validated(type(self), settings).build(folder, known))
                if (columns := sorted(points[-1].measures.names)) != names:
                    raise ScenarioError([_other_measures(columns, names)])
            except ScenarioError as error:
                for problem in error.problems:
                    found.setdefault(problem, []).append(point_name(number, shown))
        if found:
            raise ScenarioError(told_once(found))
        return tuple(points)


def _other_measures(found: Sequence[str], names: Sequence[str]) -> str:
    """Say that the tables of a sweep would have different columns at its points."""
    return (
        f"measures: must have the same names at every point, {', '.join(names) or 'none'}, "
        f"got {', '.join(found) or 'none'}"
    )


def _with_labels(policies: Any, before: Sequence[Any]) -> Any:
    """Return the policies of a point, which keep their labels if their names are unchanged."""
    if not isinstance(policies, list):
        return policies
    kept = [*policies]
    for place, (new, old) in enumerate(zip(policies, before, strict=False)):
        if isinstance(new, BaseModel):
            kept[place] = old
        elif isinstance(new, dict) and new.get("name") == old.name:
            kept[place] = {"label": old.label, **new}
    return kept


def _check_values(entry: Entry, problems: Problems) -> None:
    """Report customers whose values nobody can know."""
    for name in dict.fromkeys(unknowable(entry)):
        known = [each for each in BEHAVIOURS.names() if not unknowable(BEHAVIOURS[each])]
        hint = f"use one of: {some_of(known)}"
        if name in DECISIONS:
            hint = f'write {{ behaviour = "greedy", decision = {{ rule = "{name}", ... }} }}'
        problems.add(
            "purse.knows",
            f"'customers' needs to know what arms are worth to each customer, but {name!r} says "
            f"only which arm she takes; {hint}, or set knows to 'book'",
        )


def _unrepeatable(entries: set[Entry | Law]) -> list[str]:
    """Report user-defined functions that depend on more than their arguments."""
    found = []
    for each in entries:
        kind = "law" if isinstance(each, Law) else each.kind
        words = [global_randomness(function) for function in each.functions.values()]
        found += [f"{kind} {each.name!r}: {word}" for word in words if word]
    return sorted(found)


def scenario_table() -> type[ScenarioTable]:
    """Return the table of a scenario file for the current catalogue."""
    return _scenario_table(
        *(
            tuple(each.values())
            for each in (POLICIES, BEHAVIOURS, DECISIONS, PRICING, DISCLOSURES, MEASURES, LAWS)
        )
    )


@lru_cache(maxsize=4)  # creating the models takes ten times as long as using them
def _scenario_table(*catalogues: tuple[object, ...]) -> type[ScenarioTable]:
    market = create_model(
        "market",
        __base__=MarketTable,
        arms=(
            arms_tables(),
            Field(description="one table for arms of one law, or a list of such tables"),
        ),
        customers=(
            behaviour_tables(),
            _default({"behaviour": "greedy"}, "how customers choose"),
        ),
        disclosure=(
            any_of(DISCLOSURES.values(), "rule", DisclosureTable),
            _default({"rule": "full"}, "what customers see of the record"),
        ),
    )
    purse = create_model(
        "purse",
        __base__=PurseTable,
        offer=(
            any_of(PRICING.values(), "rule", PricingTable),
            _default({"rule": "least"}, "how much is offered for the arm that is promoted"),
        ),
    )
    policies: Any = any_of(POLICIES.values(), "name", PolicyTable)
    counted: Any = any_of(MEASURES.values(), "measure", MeasureTable)
    return create_model(
        "kcmab scenario",
        __base__=ScenarioTable,
        market=(market, Field(description="arms, customers, arrivals and frictions")),
        purse=(purse, _default({}, "what the controller offers, and what it can spend")),
        policy=(list[policies], ScenarioTable.model_fields["policy"]),
        measures=(dict[str, counted] | None, ScenarioTable.model_fields["measures"]),
    )


def _default(table: dict[str, str], description: str) -> Any:
    """Return the field of a table that may be left out."""
    return Field(table, validate_default=True, description=description)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of scenario files."""
    schema = scenario_table().model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
