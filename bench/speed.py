"""Batch speed on one core for every policy, in nanoseconds and relative to the floor."""

from __future__ import annotations

from bench.cases import BETA, HORIZON, LATE, LOGIT, NAMES, NINE, batch_task, market_of, market_task
from bench.clock import NANOSECOND, Task, best_of
from bench.floor import floor_task
from bench.report import COST, Limit, Row

ASKED = {
    "greedy": Limit("<=", 6.0),
    "epsilon-greedy": Limit("<=", 6.0),
    "modified-epsilon-greedy": Limit("<=", 6.0),
    "ucb": Limit("<=", 6.0),
    "modified-ts": Limit("<=", 18.0),
    "ts": Limit("<=", 30.0),
}
FLOOR = "one uniform"
TITLE = "batch engine, one core"
HUNDRED = 100
MANY = f"ts, {HUNDRED} arms"
DELAYED = "ucb, late reports"
INTERPRETED = f"{DELAYED}, interpreted"
GROWTH = Limit("<=", 8.0)  # of `ts`, from nine arms to a hundred
GAIN = Limit(">=", 100.0)  # of compiling delays


def measure(quick: bool) -> list[Row]:
    """Measure nanoseconds per customer, absolute and relative to the floor."""
    target, rounds = (0.03, 5) if quick else (0.08, 15)
    cost = best_of(tasks(target), rounds)
    floor = cost.pop(FLOOR)
    many = cost.pop(MANY)
    interpreted = cost.pop(INTERPRETED)
    rows = [
        Row(
            TITLE,
            "batch",
            name,
            seconds / NANOSECOND,
            COST,
            seconds / floor,
            "floor",
            ASKED.get(name),
            NINE,
            HORIZON,
        )
        for name, seconds in cost.items()
    ]
    return [
        Row(TITLE, "floor", FLOOR, floor / NANOSECOND, COST, 1.0, "floor"),
        *rows,
        Row(
            TITLE,
            "batch",
            "ts",
            many / NANOSECOND,
            COST,
            many / cost["ts"],
            "nine arms",
            GROWTH,
            HUNDRED,
            HORIZON,
        ),
        Row(
            TITLE,
            "market",
            DELAYED,
            interpreted / NANOSECOND,
            COST,
            interpreted / cost[DELAYED],
            "batch",
            GAIN,
            NINE,
            HORIZON,
        ),
    ]


def tasks(target: float) -> dict[str, Task]:
    """The floor, all policies with greedy customers, and variations of `ucb` and `ts`."""
    markets = {name: market_of(name) for name in NAMES}
    markets["ucb, logit customers"] = market_of("ucb", customers=LOGIT)
    markets["ucb, beta arms"] = market_of("ucb", law=BETA)
    markets[MANY] = market_of("ts", arms=HUNDRED)
    markets[DELAYED] = market_of("ucb", **LATE)
    measured = {name: batch_task(market, target) for name, market in markets.items()}
    return {FLOOR: floor_task(), INTERPRETED: market_task(markets[DELAYED]), **measured}
