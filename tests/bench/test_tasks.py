"""What is measured is what the package runs."""

from __future__ import annotations

from functools import partial

from bench.cases import market_of, market_task, replications_task
from bench.clock import Task
from bench.market import SKELETON, check_same_events
from bench.skeleton import run_skeleton


def test_the_skeleton_has_the_events_of_the_market():
    """The market is compared with the same number of events and processes without a model."""
    scenario = market_of("greedy").replace(horizon=100)
    tasks = {SKELETON: Task(partial(run_skeleton, 100), 100), "greedy": market_task(scenario)}
    check_same_events(tasks)


def test_all_replications_of_a_batch_task_are_run():
    """In the chunks of `simulate`."""
    task = replications_task(market_of("greedy").replace(horizon=100), 7)
    task.run()
    assert task.customers == 700
