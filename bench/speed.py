"""Batch speed on one core: every policy of the catalogue, in nanoseconds and in floors."""

from __future__ import annotations

from bench.cases import BETA, LOGIT, batch_task, market_of
from bench.clock import NANOSECOND, Task, best_of
from bench.floor import floor_task
from bench.report import Limit, Row, load
from kcmab_abm.catalogue import POLICIES

ASKED = {
    "greedy": Limit("<=", 6.0),
    "epsilon-greedy": Limit("<=", 6.0),
    "modified-epsilon-greedy": Limit("<=", 6.0),
    "ucb": Limit("<=", 6.0),
    "modified-ts": Limit("<=", 18.0),
    "ts": Limit("<=", 30.0),
}
FLOOR = "one uniform"
HUNDRED = 100
MANY = f"ts, {HUNDRED} arms"
GROWTH = Limit("<=", 8.0)  # of `ts`, from nine arms to a hundred


def measure(quick: bool) -> list[Row]:
    """Nanoseconds and floors a customer."""
    target, rounds = (0.03, 5) if quick else (0.08, 15)
    cost = best_of(tasks(target), rounds)
    rows = [row(name, cost, FLOOR, "floor", ASKED.get(name)) for name in cost if name != MANY]
    return [*rows, row(MANY, cost, "ts", "ts, nine arms", GROWTH)]


def row(name: str, cost: dict[str, float], unit: str, to: str, limit: Limit | None) -> Row:
    """What a customer costs, and how many times what another one does."""
    nanoseconds, ratio = cost[name] / NANOSECOND, cost[name] / cost[unit]
    return Row("batch speed, one core", name, nanoseconds, "ns/customer", ratio, to, limit, load())


def tasks(target: float) -> dict[str, Task]:
    """The floor, all policies with greedy customers, and variations of `ucb` and `ts`."""
    markets = {name: market_of(name) for name in POLICIES.own_names()}
    markets["ucb, logit customers"] = market_of("ucb", customers=LOGIT)
    markets["ucb, beta arms"] = market_of("ucb", law=BETA)
    markets[MANY] = market_of("ts", arms=HUNDRED)
    measured = {name: batch_task(market, target) for name, market in markets.items()}
    return {FLOOR: floor_task(), **measured}
