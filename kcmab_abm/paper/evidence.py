"""Evidence on the proofs from recorded histories: arm 1 at the pulls of arm i, biased means."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.results.statistics import statistics_table
from kcmab_abm.running.experiment import play
from kcmab_abm.running.options import Progress
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.theory.stopping import stopping_value

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def histories(
    scenario: Scenario, arm: int | None = None, most: int = 50, progress: Progress | None = None
) -> pd.DataFrame:
    """Arm 1's empirical mean at the time t_i(k) of arm i's k-th pull, by policy.

    Arm 1 is the best arm; arm i is the second best by default. A run that ends before the k-th pull
    counts with arm 1's mean at the end, as in the proof's p^T. The expectation is therefore that of
    a rule that stops after at most T rewards, and DP(mu_1, T) is a lower bound (Lemma 2).
    """
    means = scenario.market.means
    order = np.argsort(-means, kind="stable")
    best, other = int(order[0]), int(order[1]) if arm is None else arm
    pulls = np.arange(2, most + 1)
    floor = stopping_value(float(means[best]), scenario.horizon)
    tables = []
    for label, runs in _recorded(scenario, progress):
        rows = [stopped_means(run, best, other, pulls) for run in runs]
        values = np.array([mean for mean, _ in rows])
        reached = np.array([flags for _, flags in rows])
        table = statistics_table(values, {"policy": label, "pull": pulls})
        table["reached"] = reached.mean(axis=0)
        tables.append(table)
    table = pd.concat(tables, ignore_index=True)
    return table.assign(
        best_mean=means[best], arm=other, arm_mean=means[other], stopping_value=floor
    )


def stopped_means(
    run: Trajectory, best: int, other: int, pulls: Ints
) -> tuple[Floats, NDArray[np.bool_]]:
    """The mean of arm `best` just before each of these pulls of arm `other`, or at the end.

    The second array marks the pulls that took place.
    """
    times = np.flatnonzero(run.arms == other)
    reached = pulls <= len(times)
    when = np.where(reached, times[np.minimum(pulls, max(1, len(times))) - 1], len(run))
    return means_before(run, best, when), reached


def means_before(run: Trajectory, arm: int, when: Ints) -> Floats:
    """The empirical mean of an arm before each of these customers; NaN before its first pull."""
    times = np.flatnonzero(run.arms == arm)
    totals = np.concatenate([[0.0], np.cumsum(run.rewards[times])])
    counts = np.searchsorted(times, when, side="left")
    with np.errstate(invalid="ignore"):
        means: Floats = totals[counts] / counts
    return means


def biases(scenario: Scenario, points: int = 30, progress: Progress | None = None) -> pd.DataFrame:
    """The bias of empirical means: empirical mean minus true mean of every arm, by policy.

    Customers leave an arm when it looks bad and so never see it recover: E[m_i(t)] < mu_i. The
    proof of Theorem 3 assumes equality.
    """
    means = scenario.market.means
    arms = len(means)
    first = min(arms, scenario.horizon)
    when = np.unique(np.geomspace(first, scenario.horizon, points).round().astype(np.int64))
    tables = []
    for label, runs in _recorded(scenario, progress):
        values = np.array([[means_before(run, arm, when) for arm in range(arms)] for run in runs])
        for arm in range(arms):
            columns = {"policy": label, "arm": arm, "mean_reward": means[arm], "customer": when}
            tables.append(statistics_table(values[:, arm] - means[arm], columns))
    return pd.concat(tables, ignore_index=True)


def _recorded(
    scenario: Scenario, progress: Progress | None
) -> Iterator[tuple[str, Iterator[Trajectory]]]:
    total = scenario.replications * len(scenario.policies)

    def runs(label: str, before: int) -> Iterator[Trajectory]:
        for replication in range(scenario.replications):
            yield play(scenario, label, replication)
            if progress is not None:
                progress(before + replication + 1, total)

    for place, choice in enumerate(scenario.policies):
        yield choice.label, runs(choice.label, place * scenario.replications)
