"""What came out of a scenario, as tables."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kcmab_abm.measures import Runs, curve_table, paired_rows, summary_row
from kcmab_abm.precision import Standing, standing_table
from kcmab_abm.scenario import Scenario
from kcmab_abm.workers import EngineName


class Used(NamedTuple):
    """Which engine ran a policy, and why that one."""

    engine: EngineName
    reason: str


@dataclass(frozen=True)
class Results:
    """What a scenario's policies cost, over all replications."""

    scenario: Scenario
    engines: dict[str, Used]
    runs: dict[str, Runs] = field(repr=False)
    checkpoints: NDArray[np.int64] = field(repr=False)

    @property
    def engine(self) -> str:
        """The engine that ran: 'batch', 'market', or 'mixed' if the policies differed."""
        names = {used.engine for used in self.engines.values()}
        return names.pop() if len(names) == 1 else "mixed"

    @property
    def replications(self) -> int:
        """How many times each policy was run."""
        return len(next(iter(self.runs.values())))

    @property
    def regret_measure(self) -> str:
        """The regret that tables and figures show: dynamic regret where arms change."""
        return "regret" if self.scenario.market.is_steady else "dynamic_regret"

    def summary(self, confidence: float = 0.95) -> pd.DataFrame:
        """One row a policy: regret, compensation, standard errors, intervals, spread."""
        scenario = self.scenario
        cost = scenario.market.seeding_cost
        rows = [
            summary_row(label, runs, scenario.horizon, cost, confidence)
            | {"engine": self.engines[label].engine}
            for label, runs in self.runs.items()
        ]
        return pd.DataFrame(rows)

    def curves(self, confidence: float = 0.95) -> pd.DataFrame:
        """One row a policy, measure and checkpoint: mean, interval, quantiles."""
        tables = [
            curve_table(label, runs, self.checkpoints, confidence)
            for label, runs in self.runs.items()
        ]
        return pd.concat(tables, ignore_index=True)

    def paired(self, confidence: float = 0.95) -> pd.DataFrame:
        """Differences between policies on the same tapes, one row a pair and measure."""
        columns = [
            "policy",
            "other",
            "measure",
            "difference",
            "se",
            "low",
            "high",
            "variance_saved",
        ]
        return pd.DataFrame(paired_rows(self.runs, confidence), columns=columns)

    def precision(self) -> pd.DataFrame:
        """One row a policy, or pair of them, that had to be precise: its interval, what was asked.

        These intervals are valid although it depends on them how long the scenario was run, and all
        of them together have the confidence. The table is empty if no precision was asked for.
        """
        return standing_table(self.standings())

    def standings(self) -> list[Standing]:
        """The rows of `precision()`."""
        wanted = self.scenario.precision
        return [] if wanted is None else wanted.look(self.runs)

    def arms(self) -> pd.DataFrame:
        """One row a policy and arm: its true mean, its pulls, what was paid for it."""
        market = self.scenario.market
        tables = [
            pd.DataFrame(
                {
                    "policy": label,
                    "arm": range(len(market.arms)),
                    "mean": market.means,
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
        """One row a policy and replication: where it ended."""
        cost, horizon = self.scenario.market.seeding_cost, self.scenario.horizon
        tables = [
            pd.DataFrame(
                {
                    "policy": label,
                    "replication": range(len(runs)),
                    "regret": runs.final("regret"),
                    "compensation": runs.final("compensation"),
                    "realised_regret": runs.final("realised_regret"),
                    "dynamic_regret": runs.final("dynamic_regret"),
                    "seeding": runs.seeded * cost,
                    "locked_in": runs.locked_in(horizon),
                }
            )
            for label, runs in self.runs.items()
        ]
        return pd.concat(tables, ignore_index=True)

    def digest(self) -> str:
        """A fingerprint of all results: equal results, equal digest, whatever the engine."""
        summary = hashlib.sha256()
        for label, runs in self.runs.items():
            summary.update(label.encode() + runs.digest())
        return summary.hexdigest()
