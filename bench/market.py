"""The market engine against the SimPy skeleton that it cannot do without."""

from __future__ import annotations

from functools import partial

from bench.cases import HORIZON, market_of
from bench.clock import MICROSECOND, Task, best_of
from bench.report import Limit, Row, load
from bench.skeleton import count_events, run_skeleton
from kcmab_abm.market.run import run_market

ASKED = Limit("<=", 3.0)
POLICIES = ("greedy", "modified-epsilon-greedy", "ucb", "modified-ts", "ts")
SKELETON = "bare SimPy"


def measure(quick: bool) -> list[Row]:
    """Microseconds a customer, and how many times the skeleton's."""
    tasks = {SKELETON: Task(partial(run_skeleton, HORIZON), HORIZON)}
    tasks |= {policy: market_task(policy) for policy in POLICIES}
    check_same_events(tasks)
    cost = best_of(tasks, 3 if quick else 15)
    return [
        Row(
            "market, one replication",
            name,
            seconds / MICROSECOND,
            "us/customer",
            seconds / cost[SKELETON],
            "skeleton",
            None if name == SKELETON else ASKED,
            load(),
        )
        for name, seconds in cost.items()
    ]


def market_task(policy: str) -> Task:
    """One replication of the market."""
    scenario = market_of(policy)
    return Task(partial(run_market, scenario, scenario.policies[0], 0), HORIZON)


def check_same_events(tasks: dict[str, Task]) -> None:
    """Make sure that the skeleton schedules what the market does, event for event."""
    wanted = count_events(tasks[SKELETON].run)
    for name, task in tasks.items():
        found = count_events(task.run)
        assert found == wanted, f"{name}: events {dict(found)}, skeleton {dict(wanted)}"
