"""The market engine against the SimPy skeleton that it cannot do without."""

from __future__ import annotations

from functools import partial

from bench.cases import HORIZON, NINE, market_of, market_task
from bench.clock import NANOSECOND, Task, best_of
from bench.report import COST, Limit, Row
from bench.skeleton import count_events, run_skeleton
from kcmab_abm.catalogue import POLICIES

ASKED = {
    name: Limit("<=", 3.0)
    for name in ("greedy", "modified-epsilon-greedy", "ucb", "modified-ts", "ts")
}
SKELETON = "bare SimPy"
TITLE = "market engine, one replication"


def measure(quick: bool) -> list[Row]:
    """Nanoseconds a customer, and how many times the skeleton's."""
    tasks = {SKELETON: Task(partial(run_skeleton, HORIZON), HORIZON)}
    tasks |= {policy: market_task(market_of(policy)) for policy in POLICIES.own_names()}
    check_same_events(tasks)
    cost = best_of(tasks, 3 if quick else 15)
    bare = cost.pop(SKELETON)
    rows = [
        Row(
            TITLE,
            "market",
            name,
            seconds / NANOSECOND,
            COST,
            seconds / bare,
            "skeleton",
            ASKED.get(name),
            NINE,
            HORIZON,
        )
        for name, seconds in cost.items()
    ]
    return [Row(TITLE, "skeleton", SKELETON, bare / NANOSECOND, COST, 1.0, "skeleton"), *rows]


def check_same_events(tasks: dict[str, Task]) -> None:
    """Make sure that the skeleton schedules what the market does, event for event."""
    wanted = count_events(tasks[SKELETON].run)
    for name, task in tasks.items():
        found = count_events(task.run)
        assert found == wanted, f"{name}: events {dict(found)}, skeleton {dict(wanted)}"
