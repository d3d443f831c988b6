"""The markets that are measured."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.clock import Task, repetitions
from bench.plain import run_plain
from kcmab_abm import Scenario, make_scenario
from kcmab_abm.batch.run import run_batch, why_not
from kcmab_abm.market.run import run_market
from kcmab_abm.measures import checkpoints
from kcmab_abm.workers import chunk_size

HORIZON = 10_000
NINE = 9
BERNOULLI = {"law": "bernoulli"}
BETA = {"law": "beta", "concentration": 2.0}
GREEDY = {"behaviour": "greedy"}
LOGIT = {"behaviour": "logit"}


def means_of(arms: int) -> NDArray[np.float64]:
    """Means that run evenly from 0.9 down to 0.1."""
    return np.linspace(0.9, 0.1, arms)


def market_of(
    policy: str,
    arms: int = NINE,
    horizon: int = HORIZON,
    replications: int = 1,
    law: dict[str, Any] = BERNOULLI,
    customers: dict[str, Any] = GREEDY,
) -> Scenario:
    """One policy on arms whose means run evenly from 0.9 down to 0.1."""
    return make_scenario(
        {
            "horizon": horizon,
            "replications": replications,
            "market": {"arms": {**law, "means": means_of(arms).tolist()}, "customers": customers},
            "policy": [{"name": policy}],
        }
    )


def batch_task(scenario: Scenario, target: float) -> Task:
    """As many replications on one core as take about `target` seconds."""
    count = repetitions(replications_task(scenario, 1).run, target)
    return replications_task(scenario, count)


def replications_task(scenario: Scenario, count: int) -> Task:
    """So many replications on one core, compiled, in the chunks that `simulate` cuts."""
    points = checkpoints(scenario.horizon)
    policy = scenario.policies[0]
    size = chunk_size(scenario, "batch", 1, count)
    chunks = [(first, min(size, count - first)) for first in range(0, count, size)]
    why_not(scenario, policy)  # compiles

    def run() -> None:
        for first, together in chunks:
            run_batch(scenario, policy, first, together, points)

    return Task(run, count * scenario.horizon)


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
    """The same market in NumPy, its replications side by side."""
    points = checkpoints(horizon)

    def run() -> None:
        rng = np.random.default_rng(0)
        play(policy, means_of(arms), horizon, replications, points, rng)

    return Task(run, replications * horizon)


def repeated(task: Task, target: float) -> Task:
    """The same task over and over, until about `target` seconds have passed."""
    times = repetitions(task.run, target)

    def run() -> None:
        for _ in range(times):
            task.run()

    return Task(run, times * task.customers)
