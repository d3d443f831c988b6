"""The fixed cost of a replication and of a call."""

from __future__ import annotations

from functools import partial

from bench.cases import NINE, market_of, repeated
from bench.clock import MICROSECOND, Task, best_of
from bench.report import Row
from kcmab_abm import Scenario, simulate
from kcmab_abm.batch.run import run_batch
from kcmab_abm.market.run import Replay
from kcmab_abm.results.statistics import checkpoints

POLICIES = ("ucb", "modified-epsilon-greedy", "modified-ts", "ts")
MANY = 2001
POINTS = 1000
TITLE = "fixed costs"


def measure(quick: bool) -> list[Row]:
    """Measure microseconds in markets with as few customers as possible."""
    target, rounds = (0.03, 5) if quick else (0.08, 11)
    return [row for policy in POLICIES for row in costs(policy, target, rounds)] + [point(rounds)]


def point(rounds: int) -> Row:
    """A point of a long sweep, while the sweep is checked."""
    sweep = {"grid": {"seed": list(range(POINTS))}}
    check = Task(partial(market_of("ucb").replace, sweep=sweep))
    seconds = best_of({"check": check}, rounds)["check"] / POINTS
    return Row(TITLE, "a point of a sweep, checked", "ucb", seconds / MICROSECOND, "us", arms=NINE)


def costs(policy: str, target: float, rounds: int) -> list[Row]:
    """Measure a replication (by difference), a chunk, and a call of `simulate`."""
    scenario = market_of(policy, horizon=1)
    tasks = {
        "simulate": Task(partial(simulate, scenario, engine="batch", jobs=1)),
        "chunk": chunk_task(scenario, 1),
        "chunk of many": chunk_task(scenario, MANY),
    }
    best = best_of({name: repeated(task, target) for name, task in tasks.items()}, rounds)
    replication = (best["chunk of many"] - best["chunk"]) / (MANY - 1)
    found = {
        "a replication": replication,
        "a chunk": best["chunk"] - replication,
        "simulate": best["simulate"],
    }
    return [
        Row(TITLE, name, policy, seconds / MICROSECOND, "us", arms=NINE)
        for name, seconds in found.items()
    ]


def chunk_task(scenario: Scenario, replications: int) -> Task:
    """Replications in a single chunk, whatever `simulate` would do."""
    points = checkpoints(scenario.horizon)
    policy = scenario.policies[0]
    replay = Replay(scenario, policy)
    return Task(partial(run_batch, scenario, policy, 0, replications, points, replay))
