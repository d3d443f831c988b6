"""How the cost of a decision grows with arms, horizon and replications."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from bench.cases import batch_task, market_of, repeated, replications_task
from bench.clock import NANOSECOND, Task, best_of

POLICIES = ("ucb", "modified-epsilon-greedy", "modified-ts", "ts")
ARMS = (2, 3, 10, 30, 100, 300, 1000)
HORIZONS = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
REPLICATIONS = (1, 3, 10, 30, 100, 300, 1000)


class Point(NamedTuple):
    """Nanoseconds a customer for one policy at one size of the market."""

    sweep: str
    policy: str
    size: int
    cost: float


def measure(quick: bool) -> list[Point]:
    """All three sweeps, on one core."""
    target, rounds = (0.03, 3) if quick else (0.06, 9)
    largest = 100_000 if quick else HORIZONS[-1]
    horizons = [horizon for horizon in HORIZONS if horizon <= largest]
    return [
        *sweep("arms", ARMS, lambda p, n: batch_task(market_of(p, arms=n), target), rounds),
        *sweep(
            "horizon", horizons, lambda p, n: batch_task(market_of(p, horizon=n), target), rounds
        ),
        *sweep("replications", REPLICATIONS, lambda p, n: small_run(p, n, target), rounds),
    ]


def small_run(policy: str, replications: int, target: float) -> Task:
    """Replications of a thousand customers each, called for together."""
    return repeated(replications_task(market_of(policy, horizon=1000), replications), target)


def sweep(
    name: str, sizes: tuple[int, ...] | list[int], task: Callable[[str, int], Task], rounds: int
) -> list[Point]:
    """Every policy at every size, taking turns."""
    tasks = {f"{policy} {size}": task(policy, size) for policy in POLICIES for size in sizes}
    cost = best_of(tasks, rounds)
    return [
        Point(name, policy, size, cost[f"{policy} {size}"] / NANOSECOND)
        for policy in POLICIES
        for size in sizes
    ]
