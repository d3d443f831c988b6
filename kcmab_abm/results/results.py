"""The results of a scenario, as tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kcmab_abm.errors import MarketError
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.results.differences import checked_pair
from kcmab_abm.results.drawing import Drawable
from kcmab_abm.results.incentives import net_columns, net_gap
from kcmab_abm.results.lock_in import has_few_locked_in, lock_in_table
from kcmab_abm.results.statistics import (
    FINALS,
    PAIRED,
    Runs,
    curve_table,
    paired_rows,
    runs_digest,
    summary_row,
)
from kcmab_abm.scenario.precision import Standing, standing_table
from kcmab_abm.scenario.scenario import Scenario

EngineName = Literal["market", "batch"]


class Used(NamedTuple):
    """The engine that ran a policy, and the reason for choosing it."""

    engine: EngineName
    reason: str


@dataclass(frozen=True)
class Results(Drawable):
    """The results of `simulate`: what a scenario's policies cost over all replications.

    Attributes
    ----------
    scenario
        The scenario that was run.
    engines
        The engine that ran each policy, and the reason for choosing it.
    runs
        The statistics of each policy's replications.
    checkpoints
        The customers after whom curves are recorded.

    Examples
    --------
    >>> from kcmab_abm import make_scenario, simulate
    >>> market = {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}}
    >>> policies = [{"name": "greedy"}, {"name": "ucb"}]
    >>> settings = {"horizon": 20, "replications": 50, "market": market, "policy": policies}
    >>> results = simulate(make_scenario(settings), engine="market")
    >>> results
    Results(greedy, ucb: 50 runs of 20 customers)
    >>> results.summary()[["policy", "regret", "compensation"]].round(1)
       policy  regret  compensation
    0  greedy     0.9           0.0
    1     ucb     2.6           1.7
    """

    scenario: Scenario
    engines: dict[str, Used]
    runs: dict[str, Runs] = field(repr=False)
    checkpoints: NDArray[np.int64] = field(repr=False)

    def __repr__(self) -> str:
        return f"Results({', '.join(self.runs)}: {self.replications:,} runs of {self._customers})"

    def _repr_html_(self) -> str:
        """The main columns of the summary, for notebooks."""
        own = self.scenario.measures.names
        columns = ["policy", "regret", "compensation", *own, "acceptance", "engine"]
        table = self.summary()[columns].to_html(index=False, float_format="{:.4g}".format)
        return f"<p>{self.replications:,} runs of {self._customers}</p>{table}"

    @property
    def _customers(self) -> str:
        return f"{self.scenario.horizon:,} customer{'s'[: self.scenario.horizon != 1]}"

    @property
    def engine(self) -> str:
        """The engine that ran: 'batch', 'market', or 'mixed' if the policies differed."""
        first, *others = {used.engine for used in self.engines.values()}
        return "mixed" if others else first

    @property
    def replications(self) -> int:
        """The number of replications of each policy."""
        return len(next(iter(self.runs.values())))

    @property
    def regret_measure(self) -> str:
        """The regret shown in tables and figures: dynamic regret if arms change."""
        return "regret" if self.scenario.market.is_steady else "dynamic_regret"

    @property
    def is_bayes(self) -> bool:
        """True if regret is Bayes regret: its mean over markets drawn from a prior."""
        return self.scenario.market.is_random

    def summary(self, confidence: float = 0.95) -> pd.DataFrame:
        """Costs at the end: means, standard errors, intervals and quantiles.

        Parameters
        ----------
        confidence
            The level of the intervals.

        Returns
        -------
        DataFrame
            One row per policy. Where `few_locked_in` is True, use `lock_in()` for regret.
        """
        scenario = self.scenario
        cost = scenario.market.seeding_cost
        rows = [
            summary_row(label, runs, scenario.horizon, cost, confidence)
            | {"few_locked_in": has_few_locked_in(runs, scenario, self.regret_measure)}
            | self._net_columns(label, confidence)
            | {"engine": self.engines[label].engine}
            for label, runs in self.runs.items()
        ]
        return pd.DataFrame(rows)

    def net_regret(self, label: str) -> NDArray[np.float64]:
        """Return the regret net of necessary incentives, for customers with fixed utilities.

        Customers who are `informed` take the arm that they like best unless they are paid. The best
        that a controller can do is max_i mu_i - (max_j u_j - u_i) per customer: the best arm net of
        its necessary incentive. Net regret is what is missing from that: expected rewards less
        compensation. With fees, the favourite arm needs less than nothing: the highest fee for
        which they still take it.

        Parameters
        ----------
        label : str
            The label of a policy.

        Returns
        -------
        ndarray
            One row per replication, one column per checkpoint.

        Raises
        ------
        MarketError
            If the utilities of customers are not fixed.
        """
        gap, curves = net_gap(self.scenario), self.runs[label].curves
        if gap is None:
            raise MarketError(
                "net regret needs customers who are all 'informed' and take the best deal, and "
                "arms whose means are given and do not change; customers here are "
                f"{self.scenario.market.customers.label!r}"
            )
        costs = [curves[:, :, CURVES.index(word)] for word in ("regret", "compensation")]
        return np.asarray(costs[0] + costs[1] - gap * self.checkpoints)

    def _net_columns(self, label: str, confidence: float) -> dict[str, object]:
        """The columns of net regret, if there is such a regret."""
        is_known = net_gap(self.scenario) is not None
        return net_columns(self.net_regret(label)[:, -1], confidence) if is_known else {}

    def curves(self, confidence: float = 0.95) -> pd.DataFrame:
        """Costs along the run: means, intervals and quantiles.

        Parameters
        ----------
        confidence
            The level of the intervals.

        Returns
        -------
        DataFrame
            One row per policy, measure and checkpoint.
        """
        tables = [
            curve_table(label, runs, self.checkpoints, confidence)
            for label, runs in self.runs.items()
        ]
        return pd.concat(tables, ignore_index=True)

    def paired(
        self, policy: str | None = None, other: str | None = None, confidence: float = 0.95
    ) -> pd.DataFrame:
        """Differences in final costs between policies that meet the same rewards.

        Parameters
        ----------
        policy, other
            The labels of two policies; by default, all pairs are compared.
        confidence
            The level of the intervals.

        Returns
        -------
        DataFrame
            One row per pair and measure; `difference` is the first policy's cost less the other's,
            `variance_saved` the variance reduction compared with independent markets, which is
            negative where pairing hurts.
        """
        labels = checked_pair(list(self.runs), policy, other)
        runs = {label: self.runs[label] for label in labels}
        return pd.DataFrame(paired_rows(runs, confidence), columns=PAIRED)

    def lock_in(self, confidence: float = 0.95) -> pd.DataFrame:
        """What runs that locked in add to regret, with intervals that hold however few there are.

        Parameters
        ----------
        confidence
            The level of the intervals.

        Returns
        -------
        DataFrame
            One row per policy: how many runs locked in, the mean regret of the `others`, by how
            much more those that locked in lost (`excess`), and the regret of all.
        """
        return lock_in_table(self.runs, self.scenario, self.regret_measure, confidence)

    def precision(self) -> pd.DataFrame:
        """The intervals that decided when to stop, for a scenario that runs until precise.

        They remain valid although the number of replications depends on them, and hold jointly with
        the requested confidence.

        Returns
        -------
        DataFrame
            One row per policy or pair of policies with a target; empty if there is no target.
        """
        return standing_table(self.standings())

    def standings(self) -> list[Standing]:
        """The rows of `precision()`, as a list."""
        return self.scenario.precision.look(self.runs) if self.scenario.precision else []

    def arms(self) -> pd.DataFrame:
        """Pulls and compensation by arm.

        Returns
        -------
        DataFrame
            One row per policy and arm: its true mean, mean pulls and mean compensation per run, and
            their standard errors. If means are drawn anew in every replication, an arm has no one
            true mean (NaN), and the same number stands for another arm in every replication.
        """
        market = self.scenario.market
        tables = [
            pd.DataFrame(
                {
                    "policy": label,
                    "arm": range(len(market.arms)),
                    "mean": np.nan if market.is_random else market.means,
                    "pulls": runs.pulls.mean,
                    "pulls_se": runs.pulls.se,
                    "compensation": runs.payments.mean,
                    "compensation_se": runs.payments.se,
                }
            )
            for label, runs in self.runs.items()
        ]
        return pd.concat(tables, ignore_index=True)

    def finals(self) -> pd.DataFrame:
        """Costs at the end of every single run.

        Returns
        -------
        DataFrame
            One row per policy and replication; `locked_in` if the run settled on a wrong arm.
        """
        cost, horizon = self.scenario.market.seeding_cost, self.scenario.horizon
        tables = [
            pd.DataFrame(
                {
                    "policy": label,
                    "replication": range(len(runs)),
                    **{measure: runs.final(measure) for measure in (*FINALS, *runs.measures)},
                    "seeding": runs.seeded * cost,
                    "locked_in": runs.locked_in(horizon),
                }
            )
            for label, runs in self.runs.items()
        ]
        return pd.concat(tables, ignore_index=True)

    def digest(self) -> str:
        """A fingerprint: equal for equal results, whatever the engine."""
        return runs_digest(self.runs)
