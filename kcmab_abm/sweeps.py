"""Run a scenario at every point of its sweep, and hold what came out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from kcmab_abm.differences import difference_rows
from kcmab_abm.errors import MarketError
from kcmab_abm.experiment import Engine, choose_engine, simulate
from kcmab_abm.journal import Journal
from kcmab_abm.points import Point, Sweep, look_up, point_name, steps, written
from kcmab_abm.precision import Standing, Watch, standing_table
from kcmab_abm.results import Results, Used
from kcmab_abm.scenario import Scenario
from kcmab_abm.workers import Progress


@dataclass(frozen=True)
class PointResults:
    """What is kept of one point: small tables, no curves of single replications."""

    settings: Mapping[str, Any]
    regret_measure: str
    engines: dict[str, Used]
    digest: str
    summary: pd.DataFrame
    finals: pd.DataFrame
    curves: pd.DataFrame
    standings: list[Standing]
    replications: int


@dataclass(frozen=True)
class SweepResults:
    """What a scenario's policies cost at every point of its sweep.

    Every table begins with a column for each swept setting. Points run on the same tapes unless
    the seed itself is swept, so that differences between them are paired.
    """

    scenario: Scenario
    axes: pd.DataFrame = field(repr=False)
    points: tuple[PointResults, ...] = field(repr=False)

    @property
    def engine(self) -> str:
        """The engine that ran: 'batch', 'market', or 'mixed' if points or policies differed."""
        names = {used.engine for each in self.points for used in each.engines.values()}
        return names.pop() if len(names) == 1 else "mixed"

    @property
    def regret_measure(self) -> str:
        """The regret that tables and figures show: dynamic regret where arms change anywhere."""
        measures = {each.regret_measure for each in self.points}
        return measures.pop() if len(measures) == 1 else "dynamic_regret"

    @property
    def replications(self) -> list[int]:
        """How many times each policy was run, point by point."""
        return [each.replications for each in self.points]

    @property
    def size(self) -> str:
        """How much was run, in words."""
        points = f"{len(self.points):,} points"
        if {"replications", "horizon"} & set(self.axes) or len(set(self.replications)) > 1:
            return points
        runs, customers = self.replications[0], self.scenario.horizon
        return f"{points}, each {runs:,} runs of {customers:,} customers"

    @property
    def table(self) -> pd.DataFrame:
        """One row a point and policy: the swept settings, then the columns of a summary."""
        return self._beside_axes([each.summary for each in self.points])

    def summary(self) -> pd.DataFrame:
        """The same as `table`: one row a point and policy."""
        return self.table

    def finals(self) -> pd.DataFrame:
        """One row a point, policy and replication: where it ended."""
        return self._beside_axes([each.finals for each in self.points])

    def curves(self) -> pd.DataFrame:
        """One row a point, policy, measure and checkpoint: mean, interval, quantiles."""
        return self._beside_axes([each.curves for each in self.points])

    def paired(self, confidence: float = 0.95) -> pd.DataFrame:
        """Differences to the first point (`first`), a row a point, policy and measure."""
        start = self.points[0]
        before = dict(list(start.finals.groupby("policy", sort=False)))
        tables = [
            pd.DataFrame(
                {"policy": label, **row}
                for label, runs in each.finals.groupby("policy", sort=False)
                if label in before
                for row in difference_rows(
                    before[label], runs, each.settings["seed"] == start.settings["seed"], confidence
                )
            )
            for each in self.points[1:]
        ]
        return self._beside_axes([pd.DataFrame(), *tables])

    def precision(self) -> pd.DataFrame:
        """One row a point and policy (or pair) that had to be precise; see `Results.precision`."""
        return self._beside_axes([standing_table(each.standings) for each in self.points])

    def digest(self) -> str:
        """A fingerprint of the results at all points, whatever the engine."""
        return hashlib.sha256("".join(each.digest for each in self.points).encode()).hexdigest()

    def _beside_axes(self, tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
        places = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
        right = pd.concat(tables, ignore_index=True)
        # A summary has a column `replications`, too; where it is swept the two are the same.
        right = right.drop(columns=[name for name in self.axes if name in right])
        return pd.concat([self.axes.iloc[places].reset_index(drop=True), right], axis=1)


def sweep(
    scenario: Scenario,
    *,
    engine: Engine = "auto",
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    journal: Journal | None = None,
    watch: Watch | None = None,
) -> SweepResults:
    """Simulate the scenario at every point of its sweep; options as for `simulate`.

    >>> from kcmab_abm import make_scenario, sweep
    >>> scenario = make_scenario({
    ...     "horizon": 50,
    ...     "replications": 10,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
    ...     "policy": [{"name": "greedy"}],
    ...     "sweep": {"grid": {"horizon": [20, 40]}},
    ... })
    >>> sweep(scenario, engine="market").table[["horizon", "policy", "compensation"]]
       horizon  policy  compensation
    0       20  greedy           0.0
    1       40  greedy           0.0
    """
    plan = prepare(scenario, engine)
    scenarios = list(scenario.points())
    sizes = [each.horizon * each.replications * len(each.policies) for each in scenarios]
    points = []
    for place, each in enumerate(scenarios):
        shown = progress and _shifted(progress, sum(sizes[:place]), sum(sizes[place + 1 :]))
        with _naming(place, plan.points[place]):
            results = simulate(
                each,
                engine=engine,
                jobs=jobs,
                executor=executor,
                progress=shown,
                journal=journal and journal.at(place + 1),
                watch=watch,
            )
        sizes[place] = each.horizon * results.replications * len(each.policies)
        points.append(_kept(results))
    return SweepResults(scenario, _axes(plan, points), tuple(points))


def prepare(scenario: Scenario, engine: Engine) -> Sweep:
    """Find an engine for every policy at every point, which compiles the kernels; the sweep."""
    if scenario.sweep is None:
        raise MarketError(
            "the scenario has no sweep; give it one, such as scenario.replace(sweep={'grid': "
            "{'horizon': [100, 1000]}}), or run kcmab.simulate(scenario)"
        )
    for place, each in enumerate(scenario.points()):
        with _naming(place, scenario.sweep.points[place]):
            for choice in each.policies:
                choose_engine(each, choice, engine)
    return scenario.sweep


def _shifted(progress: Progress, before: int, after: int) -> Progress:
    return lambda done, total: progress(before + done, before + total + after)


@contextmanager
def _naming(place: int, point: Point) -> Iterator[None]:
    """Put the point before what goes wrong at it."""
    try:
        yield
    except MarketError as error:
        raise type(error)(f"{point_name(place + 1, point)}: {error}") from error


def _kept(results: Results) -> PointResults:
    return PointResults(
        settings=results.scenario.settings,
        regret_measure=results.regret_measure,
        engines=results.engines,
        digest=results.digest(),
        summary=results.summary(),
        finals=results.finals(),
        curves=results.curves(),
        standings=results.standings(),
        replications=results.replications,
    )


def _axes(plan: Sweep, points: Sequence[PointResults]) -> pd.DataFrame:
    """One row a point, one column a swept setting."""
    columns = {}
    for path in plan.axes:
        name = "policies" if path == "policy" else path  # `policy` is a column of every table
        columns[name] = _column(
            [
                point.get(path, look_up(each.settings, steps(path)))
                for point, each in zip(plan.points, points, strict=True)
            ]
        )
    return pd.DataFrame(columns)


def _column(values: list[Any]) -> list[Any]:
    """Numbers and texts as they are; where there is anything else, all as a file writes it."""
    given = [value for value in values if value is not None]
    plain = all(isinstance(value, str) for value in given) or all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in given
    )
    return values if plain else [None if value is None else written(value) for value in values]
