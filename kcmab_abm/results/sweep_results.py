"""The results of a sweep, as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kcmab_abm.errors import MarketError
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.results.differences import checked_pair, difference_rows, paired_table
from kcmab_abm.results.drawing import Drawable
from kcmab_abm.results.points import PointResults, point_number, points_with
from kcmab_abm.results.results import Results
from kcmab_abm.results.sensitivity import sensitivity_table
from kcmab_abm.results.statistics import joined_digest
from kcmab_abm.scenario.precision import standing_table
from kcmab_abm.scenario.sampling import SALTELLI
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.setting_names import tidy_names


@dataclass(frozen=True)
class SweepResults(Drawable):
    """The results of `sweep`: what a scenario's policies cost at every point.

    Every table begins with one column per swept setting. All points share their rewards unless the
    seed itself is swept, so that differences between points are paired.

    Attributes
    ----------
    scenario
        The scenario that was run.
    axes
        The swept settings: one row per point, one column per setting.
    points
        The results at each point.

    Examples
    --------
    >>> from kcmab_abm import make_scenario, sweep
    >>> scenario = make_scenario({
    ...     "horizon": 20,
    ...     "replications": 50,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
    ...     "policy": [{"name": "ucb"}],
    ...     "sweep": {"grid": {"purse.budget": [0.0, 1.0]}},
    ... })
    >>> results = sweep(scenario, engine="market")
    >>> results
    SweepResults(purse.budget: 2 points, each 50 runs of 20 customers)
    >>> results.summary()[["purse.budget", "policy", "regret", "compensation"]].round(1)
       purse.budget policy  regret  compensation
    0           0.0    ucb     0.9           0.0
    1           1.0    ucb     1.7           0.9
    """

    scenario: Scenario
    axes: pd.DataFrame = field(repr=False)
    points: tuple[PointResults, ...] = field(repr=False)
    _open: Callable[[int], Results] | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"SweepResults({', '.join(map(str, self.axes))}: {self.size})"

    def _repr_html_(self) -> str:
        """The main columns of the summary, for notebooks."""
        own = self.scenario.measures.names
        columns = [*self.axes, "policy", "regret", "compensation", *own, "acceptance"]
        table = self.table[columns].to_html(index=False, max_rows=40, float_format="{:.4g}".format)
        return f"<p>{self.size}</p>{table}"

    @property
    def engine(self) -> str:
        """The engine that ran: 'batch', 'market', or 'mixed' if points or policies differed."""
        names = {used.engine for each in self.points for used in each.engines.values()}
        return names.pop() if len(names) == 1 else "mixed"

    @property
    def regret_measure(self) -> str:
        """The regret shown in tables and figures: dynamic regret if arms change at any point."""
        measures = {each.regret_measure for each in self.points}
        return measures.pop() if len(measures) == 1 else "dynamic_regret"

    @property
    def is_bayes(self) -> bool:
        """True if regret is Bayes regret at every point."""
        points = self.scenario.points() or (self.scenario,)
        return all(point.market.is_random for point in points)

    @property
    def names(self) -> dict[str, str]:
        """Short names of the swept settings: `results.table.rename(columns=results.names)`."""
        return tidy_names([str(axis) for axis in self.axes])

    @property
    def labels(self) -> list[str]:
        """The labels of all policies, in the order of the file."""
        return list(self.table["policy"].drop_duplicates())

    @property
    def replications(self) -> list[int]:
        """The number of replications of each policy, point by point."""
        return [each.replications for each in self.points]

    @property
    def size(self) -> str:
        """The numbers of points, runs and customers, in words."""
        points = f"{len(self.points):,} points"
        if {"replications", "horizon"} & set(self.axes) or len(set(self.replications)) > 1:
            return points
        runs, customers = self.replications[0], self.scenario.horizon
        return f"{points}, each {runs:,} runs of {customers:,} customers"

    @property
    def table(self) -> pd.DataFrame:
        """The table that `summary` returns."""
        return self._beside_axes([each.summary for each in self.points])

    def summary(self, confidence: float = 0.95) -> pd.DataFrame:
        """Costs at the end: one row per point and policy, with the columns of `Results.summary`.

        Parameters
        ----------
        confidence
            The level of the intervals. For another level than 95 %, points are opened one by one
            (see `point`).
        """
        if confidence == 0.95:
            return self.table
        points = range(1, len(self.points) + 1)
        return self._beside_axes([self.point(each).summary(confidence) for each in points])

    def point(self, at: int | Mapping[str, Any]) -> Results:
        """The results of one point, as `simulate` returns them: with all curves.

        A sweep keeps only tables of its points. So they are read again if the sweep was run into a
        folder, and otherwise run again, which gives the same results; the digest is compared.

        Parameters
        ----------
        at
            The number of the point, counted from 1 as in messages, or a value for each swept
            setting as in the tables. Of a path the last words are enough: `{"tau": 0.1}`.

        Returns
        -------
        Results
            The results of the point.

        Raises
        ------
        MarketError
            If there is no such point, or its folder was removed or changed.

        Examples
        --------
        >>> from kcmab_abm import make_scenario, sweep
        >>> scenario = make_scenario({
        ...     "horizon": 20, "replications": 50, "policy": [{"name": "ucb"}],
        ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
        ...     "sweep": {"grid": {"purse.budget": [0.0, 1.0]}},
        ... })
        >>> sweep(scenario, engine="market").point({"budget": 1.0})
        Results(ucb: 50 runs of 20 customers)
        """
        number = point_number(self.axes, at)
        if self._open is None:
            raise MarketError("these results were made without what is needed to open a point")
        results = self._open(number)
        if results.digest() != self.points[number - 1].digest:
            raise MarketError(
                f"point {number} gives other results than in the sweep: what was run has changed "
                "since; run the sweep again"
            )
        return results

    def rows_at(self, at: Mapping[str, Any] | None = None) -> NDArray[np.bool_]:
        """True for the rows of `table` whose settings have these values, by path or last words."""
        return np.repeat(self.points_at(at), [len(each.summary) for each in self.points])

    def points_at(self, at: Mapping[str, Any] | None = None) -> NDArray[np.bool_]:
        """True for the points whose settings have these values, by path or last words."""
        return points_with(self.axes, at or {})

    def finals(self) -> pd.DataFrame:
        """Costs at the end of every single run: one row per point, policy and replication."""
        return self._beside_axes([each.finals for each in self.points])

    def curves(self) -> pd.DataFrame:
        """Costs along the run: one row per point, policy, measure and checkpoint."""
        return self._beside_axes([each.curves for each in self.points])

    def paired(
        self, policy: str | None = None, other: str | None = None, confidence: float = 0.95
    ) -> pd.DataFrame:
        """Differences in final costs: between two policies, or between every point and the first.

        Parameters
        ----------
        policy, other
            The labels of two policies. They are compared at every point, on the same tapes, as
            `Results.paired` compares them. Without them every policy is compared with itself at
            the first point.
        confidence
            The level of the intervals.

        Returns
        -------
        DataFrame
            With policies, one row per point and measure: `difference` is the first policy's cost
            less the other's. Without, one row per point, policy and measure, where `first` is the
            mean at the first point.
        """
        if policy is not None or other is not None:
            return self._paired_policies(policy, other, confidence)
        start = self.points[0]
        before = dict(list(start.finals.groupby("policy", sort=False)))
        tables = [
            pd.DataFrame(
                {"policy": label, **row}
                for label, runs in each.finals.groupby("policy", sort=False)
                if label in before
                for row in difference_rows(
                    before[label],
                    runs,
                    each.settings["seed"] == start.settings["seed"],
                    confidence,
                    self.scenario.measures.names,
                )
            )
            for each in self.points[1:]
        ]
        return self._beside_axes([pd.DataFrame(), *tables])

    def _paired_policies(
        self, policy: str | None, other: str | None, confidence: float
    ) -> pd.DataFrame:
        one, two = checked_pair(self.labels, policy, other)
        measures = (*CURVES, *self.scenario.measures.names)
        tables = []
        for number, each in enumerate(self.points, 1):
            finals = dict(list(each.finals.groupby("policy", sort=False)))
            if missing := [label for label in (one, two) if label not in finals]:
                raise MarketError(f"point {number} has no policy {missing[0]!r}")
            runs = finals[one], finals[two]
            tables.append(paired_table(one, two, *runs, measures, confidence))
        return self._beside_axes(tables)

    def precision(self) -> pd.DataFrame:
        """The intervals that decided when to stop at each point; see `Results.precision`."""
        return self._beside_axes([standing_table(each.standings) for each in self.points])

    def sensitivity(self, measure: str = "regret", confidence: float = 0.95) -> pd.DataFrame:
        """Sobol indices: how much of the variance of a measure each setting explains.

        For a sweep with the design "saltelli". The noise of the replications is taken out.

        Parameters
        ----------
        measure
            A column of `finals()`, such as "regret", "compensation" or "locked_in".
        confidence
            The level of the bootstrap intervals.

        Returns
        -------
        DataFrame
            One row per policy and setting: `first`, the share of variance that the setting explains
            alone, and `total`, the share including its interactions with others, with intervals.

        Raises
        ------
        MarketError
            If the sweep has another design, or there is no such measure.
        """
        assert self.scenario.sweep is not None
        finals = [each.finals for each in self.points]
        return sensitivity_table(self.scenario.sweep, finals, measure, confidence)

    @property
    def has_sensitivity(self) -> bool:
        """True if the design of the sweep allows an analysis of sensitivity."""
        plan = self.scenario.sweep
        return plan is not None and plan.sample is not None and plan.sample.design == SALTELLI

    def digest(self) -> str:
        """A fingerprint: equal for equal results at all points, whatever the engine."""
        return joined_digest(each.digest for each in self.points)

    def _beside_axes(self, tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
        places = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
        right = pd.concat(tables, ignore_index=True)
        # A summary has a column `replications` of its own; if it is swept, the two agree.
        right = right.drop(columns=[name for name in self.axes if name in right])
        return pd.concat([self.axes.iloc[places].reset_index(drop=True), right], axis=1)
