"""Run a scenario, on either engine, and hold what came out."""

from __future__ import annotations

import hashlib
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kcmab_abm.errors import EngineError, MarketError
from kcmab_abm.market.run import run_market
from kcmab_abm.measures import Runs, checkpoints, curve_table, paired_rows, summary_row
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Trajectory
from kcmab_abm.workers import Chunk, Progress, cut, tallies
from kcmab_abm.world import Choice

Engine = Literal["auto", "market", "batch"]


class Used(NamedTuple):
    """Which engine ran a policy, and why that one."""

    engine: Literal["market", "batch"]
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
                    "replication": range(len(runs.seeded)),
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


def play(
    scenario: Scenario, policy: str | None = None, replication: int = 0, engine: Engine = "auto"
) -> Trajectory:
    """One replication under one policy (the first, unless named), customer by customer.

    >>> from kcmab_abm import make_scenario, play
    >>> scenario = make_scenario({
    ...     "horizon": 6,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
    ...     "policy": [{"name": "ucb"}],
    ... })
    >>> play(scenario, engine="market").arms
    array([0, 1, 0, 0, 0, 0])
    """
    choice = scenario.policies[0] if policy is None else scenario.policy(policy)
    if replication < 0:
        raise ValueError(f"replication must be >= 0, got {replication}")
    if choose_engine(scenario, choice, engine).engine == "market":
        return run_market(scenario, choice, replication)
    from kcmab_abm.batch.run import trace_batch

    return trace_batch(scenario, choice, replication)


def simulate(
    scenario: Scenario,
    *,
    engine: Engine = "auto",
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Results:
    """Run every policy on the same replications of the market.

    The batch engine spreads replications over `jobs` threads (one a core, unless told), the market
    engine runs them one after another; an `executor` from `concurrent.futures` takes either. The
    results are the same to the last bit whatever is chosen. `progress` is called now and then with
    the customers served and their total number.

    >>> from kcmab_abm import make_scenario, simulate
    >>> scenario = make_scenario({
    ...     "horizon": 50,
    ...     "replications": 10,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
    ...     "policy": [{"name": "greedy"}],
    ... })
    >>> simulate(scenario, engine="market").summary()[["policy", "compensation", "acceptance"]]
       policy  compensation  acceptance
    0  greedy           0.0         1.0
    """
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs must be >= 1, got {jobs}")
    if scenario.sweep is not None:
        raise MarketError(
            f"the scenario has a sweep of {len(scenario.sweep.points):,} points; run it with "
            "kcmab.sweep(scenario) or 'kcmab run', or take the sweep out: "
            "scenario.replace(sweep=None)"
        )
    points = checkpoints(scenario.horizon)
    engines = {c.label: choose_engine(scenario, c, engine) for c in scenario.policies}
    runs = {label: Runs(scenario.replications, len(points)) for label in engines}
    chunks = (
        Chunk(name, scenario, choices, first, count, points)
        for name, choices in _by_engine(scenario, engines).items()
        for first, count in cut(scenario.replications, scenario.horizon)
    )
    total = scenario.horizon * scenario.replications * len(scenario.policies)
    for chunk, parts in tallies(chunks, total, jobs, executor, progress):
        for choice, part in zip(chunk.policies, parts, strict=True):
            runs[choice.label].add(chunk.first, part)
    return Results(scenario, engines, runs, points)


def _by_engine(
    scenario: Scenario, engines: dict[str, Used]
) -> dict[Literal["market", "batch"], tuple[Choice, ...]]:
    used = dict.fromkeys(each.engine for each in engines.values())
    return {
        name: tuple(c for c in scenario.policies if engines[c.label].engine == name)
        for name in used
    }


def choose_engine(scenario: Scenario, policy: Choice, wanted: Engine) -> Used:
    """The engine that will run this policy: the one asked for, or the fastest that can."""
    if wanted not in ("auto", "market", "batch"):
        raise EngineError(f"no engine {wanted!r}; choose 'auto', 'market' or 'batch'")
    if wanted == "market":
        return Used("market", "asked for")
    # Late, because numba takes as long to import as all the rest together.
    from kcmab_abm.batch.run import why_not

    obstacle = why_not(scenario, policy)
    if obstacle and wanted == "batch":
        raise EngineError(
            f"policy {policy.label!r}: the batch engine cannot run this: {obstacle}; "
            "use engine 'auto' or 'market'"
        )
    if obstacle:
        return Used("market", obstacle)
    return Used("batch", "asked for" if wanted == "batch" else "the fastest that can run this")
