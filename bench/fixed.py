"""What a replication and a call cost before the first customer comes."""

from __future__ import annotations

from functools import partial

from bench.cases import NINE, market_of, repeated
from bench.clock import MICROSECOND, Task, best_of
from bench.report import Row
from kcmab_abm import Scenario, simulate
from kcmab_abm.batch.run import run_batch
from kcmab_abm.measures import checkpoints

POLICIES = ("ucb", "modified-epsilon-greedy", "modified-ts", "ts")
MANY = 2001
TITLE = "fixed costs"


def measure(quick: bool) -> list[Row]:
    """Microseconds, from markets that close after the first customer."""
    target, rounds = (0.03, 5) if quick else (0.08, 11)
    return [row for policy in POLICIES for row in costs(policy, target, rounds)]


def costs(policy: str, target: float, rounds: int) -> list[Row]:
    """A replication by difference, a chunk, and a whole `simulate` of one chunk."""
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
    """So many replications as one chunk, however `simulate` would cut them."""
    points = checkpoints(scenario.horizon)
    return Task(partial(run_batch, scenario, scenario.policies[0], 0, replications, points))
