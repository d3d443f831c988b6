"""The cost per customer against arms and horizon, for each engine and policy."""

from __future__ import annotations

from typing import NamedTuple

from bench.cases import HORIZON, NAMES, NINE, batch_task, market_of, market_task
from bench.clock import NANOSECOND, Task, best_of
from bench.floor import floor_task
from bench.report import COST, Row

ARMS = (2, 9, 30, 100, 300, 1000)
HORIZONS = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
MARKET_ARMS = (2, 9, 100, 1000)
MARKET_HORIZONS = (100, 1_000, 10_000, 100_000)
# Ten milliseconds a customer with more of them, and nothing to be learnt from that.
MOST_IN_MARKET = {"kl-ucb": 100}
FLOOR = "one uniform"
BY_ARMS = "cost against arms"
BY_HORIZON = "cost against customers"


class Case(NamedTuple):
    """An engine, a policy and the size of a market."""

    engine: str
    policy: str
    arms: int = NINE
    horizon: int = HORIZON


def measure(quick: bool) -> list[Row]:
    """Measure both sweeps and the floor on one core."""
    return [
        *sweep(BY_ARMS, cases_by_arms(100 if quick else ARMS[-1]), quick),
        *sweep(BY_HORIZON, cases_by_horizon(10_000 if quick else HORIZONS[-1]), quick),
    ]


def cases_by_arms(most: int) -> list[Case]:
    """Every policy in both engines with few arms and many."""
    cases = [
        *(Case("batch", policy, arms=arms) for policy in NAMES for arms in ARMS),
        *(
            Case("market", policy, arms=arms)
            for policy in NAMES
            for arms in MARKET_ARMS
            if arms <= MOST_IN_MARKET.get(policy, arms)
        ),
    ]
    return [case for case in cases if case.arms <= most]


def cases_by_horizon(most: int) -> list[Case]:
    """Every policy in both engines with few customers and many."""
    cases = [
        Case(engine, policy, horizon=horizon)
        for engine, horizons in {"batch": HORIZONS, "market": MARKET_HORIZONS}.items()
        for policy in NAMES
        for horizon in horizons
    ]
    return [case for case in cases if case.horizon <= most]


def sweep(title: str, cases: list[Case], quick: bool) -> list[Row]:
    """Time all cases and the floor in turns."""
    floor = Case("floor", FLOOR)
    tasks = {floor: floor_task()} | {case: task_of(case) for case in cases}
    cost = best_of(tasks, 1 if quick else 3)
    return [
        Row(
            title,
            case.engine,
            case.policy,
            seconds / NANOSECOND,
            COST,
            seconds / cost[floor],
            "floor",
            arms=None if case == floor else case.arms,
            customers=None if case == floor else case.horizon,
        )
        for case, seconds in cost.items()
    ]


def task_of(case: Case) -> Task:
    """The task that is timed for a case."""
    scenario = market_of(case.policy, arms=case.arms, horizon=case.horizon)
    return market_task(scenario) if case.engine == "market" else batch_task(scenario, 0.06)
