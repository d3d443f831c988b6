"""What a replication and a call cost before the first customer comes."""

from __future__ import annotations

from functools import partial

from bench.cases import NINE, market_of, repeated, replications_task
from bench.clock import MICROSECOND, Task, best_of
from bench.report import Row
from kcmab_abm import simulate

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
        "chunk": replications_task(scenario, 1),
        "chunk of many": replications_task(scenario, MANY),
        "simulate": Task(partial(simulate, scenario, engine="batch", jobs=1)),
    }
    best = best_of({name: repeated(task, target) for name, task in tasks.items()}, rounds)
    replication = (MANY * best["chunk of many"] - best["chunk"]) / (MANY - 1)
    found = {
        "a replication": replication,
        "a chunk": best["chunk"] - replication,
        "simulate": best["simulate"],
    }
    return [
        Row(TITLE, name, policy, seconds / MICROSECOND, "us", arms=NINE)
        for name, seconds in found.items()
    ]
