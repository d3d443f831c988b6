"""The markets that are measured."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.clock import Task, repetitions
from bench.plain import run_plain
from kcmab_abm import Scenario, make_scenario, simulate
from kcmab_abm.batch.run import run_batch, why_not
from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.market.run import Replay, run_market
from kcmab_abm.results.statistics import checkpoints
from kcmab_abm.running.journal import Journal
from kcmab_abm.running.workers import chunk_size

HORIZON = 10_000
NINE = 9
NAMES = [name for name in POLICIES.own_names() if not POLICIES[name].needs]
BERNOULLI = {"law": "bernoulli"}
BETA = {"law": "beta", "concentration": 2.0}
GREEDY = {"behaviour": "greedy"}
LOGIT = {"behaviour": "logit"}
LATE = {
    "arrivals": {"process": "poisson"},
    "service_time": {"law": "exponential", "mean": 2.0},
    "report_delay": {"law": "exponential", "mean": 50.0},
}


def means_of(arms: int) -> NDArray[np.float64]:
    """Evenly spaced means from 0.9 down to 0.1."""
    return np.linspace(0.9, 0.1, arms)


def market_of(
    policy: str,
    arms: int = NINE,
    horizon: int = HORIZON,
    replications: int = 1,
    law: dict[str, Any] = BERNOULLI,
    customers: dict[str, Any] = GREEDY,
    **more: Any,
) -> Scenario:
    """One policy on arms with evenly spaced means from 0.9 down to 0.1, in a market with `more`."""
    group = {**law, "means": means_of(arms).tolist()}
    return make_scenario(
        {
            "horizon": horizon,
            "replications": replications,
            "market": {"arms": group, "customers": customers, **more},
            "policy": [{"name": policy}],
        }
    )


def batch_task(scenario: Scenario, target: float) -> Task:
    """Replications on one core that take about `target` seconds in total."""
    once = replications_task(scenario, 1)
    once.run()  # computes tables, which would count as part of the replication
    return replications_task(scenario, repetitions(once.run, target))


def replications_task(scenario: Scenario, count: int) -> Task:
    """Compiled replications on one core, in the same chunks as in `simulate`."""
    points = checkpoints(scenario.horizon)
    policy = scenario.policies[0]
    size = chunk_size(scenario, "batch", count)
    chunks = [(first, min(size, count - first)) for first in range(0, count, size)]
    why_not(scenario, policy)  # compiles

    def run() -> None:
        for first, together in chunks:
            run_batch(scenario, policy, first, together, points, Replay(scenario, policy))

    return Task(run, count * scenario.horizon)


def recording_task(scenario: Scenario, replications: int) -> Task:
    """Compiled replications with every customer written to the ledger, on one core."""
    recorded = scenario.replace(record="paths", replications=replications)

    def run() -> None:
        with TemporaryDirectory() as folder:
            simulate(recorded, engine="batch", jobs=1, journal=Journal(Path(folder)))

    run()
    return Task(run, replications * scenario.horizon)


def market_task(scenario: Scenario) -> Task:
    """One replication in the market engine."""
    return Task(partial(run_market, scenario, scenario.policies[0], 0), scenario.horizon)


def numpy_task(
    policy: str,
    replications: int,
    arms: int = NINE,
    horizon: int = HORIZON,
    play: Callable[..., object] = run_plain,
) -> Task:
    """The same market in NumPy, with replications side by side."""
    points = checkpoints(horizon)

    def run() -> None:
        rng = np.random.default_rng(0)
        play(policy, means_of(arms), horizon, replications, points, rng)

    return Task(run, replications * horizon)


def repeated(task: Task, target: float) -> Task:
    """Repeat a task until about `target` seconds have passed."""
    times = repetitions(task.run, target)

    def run() -> None:
        for _ in range(times):
            task.run()

    return Task(run, times * task.customers)
