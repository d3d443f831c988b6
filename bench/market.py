"""The market engine compared with a bare SimPy skeleton."""

from __future__ import annotations

from collections import Counter
from functools import partial

from bench.cases import HORIZON, NAMES, NINE, market_of, market_task
from bench.clock import NANOSECOND, Task, best_of
from bench.report import COST, Limit, Row
from bench.skeleton import count_events, run_skeleton
from kcmab_abm.catalogue.registry import POLICIES

ASKED = {
    name: Limit("<=", 3.0)
    for name in ("greedy", "modified-epsilon-greedy", "ucb", "modified-ts", "ts")
}
SKELETON = "bare SimPy"
TITLE = "market engine, one replication"


def measure(quick: bool) -> list[Row]:
    """Measure nanoseconds per customer, and the ratio to the skeleton."""
    tasks = {SKELETON: Task(partial(run_skeleton, HORIZON), HORIZON)}
    tasks |= {policy: market_task(market_of(policy)) for policy in NAMES}
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
    """Check that the skeleton schedules the same events as the market.

    Where a policy is told what customers answer, it is one process more, with one event for every
    customer whom the policy has directed.
    """
    bare = count_events(tasks[SKELETON].run)
    told = Counter({("Initialize", 0): 1, ("Event", 1): HORIZON - NINE})
    for name, task in tasks.items():
        hears = name != SKELETON and POLICIES[name].answered is not None
        wanted, found = bare + told if hears else bare, count_events(task.run)
        assert found == wanted, f"{name}: events {dict(found)}, skeleton {dict(wanted)}"
