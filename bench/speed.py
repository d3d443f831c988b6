"""Batch speed on one core for every policy, in nanoseconds and relative to the floor."""

from __future__ import annotations

from bench.cases import (
    BETA,
    HORIZON,
    LATE,
    LOGIT,
    NAMES,
    NINE,
    batch_task,
    market_of,
    market_task,
    recording_task,
)
from bench.clock import NANOSECOND, Task, best_of
from bench.floor import floor_task
from bench.report import COST, Limit, Row

FLOOR = "one uniform"
TITLE = "batch engine, one core"
HUNDRED, THOUSAND = 100, 1000
LOGIT_CASE = "ucb, logit customers"
BETA_CASE = "ucb, beta arms"
DELAYED = "ucb, late reports"
RECORDED = "ucb, every customer recorded"
INTERPRETED = f"{DELAYED}, interpreted"
MANY = {"ts": HUNDRED, "ucb": THOUSAND}
RECORDED_RUNS = 200

# In floors.
EVERY_POLICY = Limit("<=", 20.0)
ASKED = {
    **dict.fromkeys(NAMES, EVERY_POLICY),
    "greedy": Limit("<=", 2.5),
    "ucb": Limit("<=", 4.5),
    "modified-ts": Limit("<=", 10.0),
    "ts": Limit("<=", 15.0),
    LOGIT_CASE: Limit("<=", 10.0),
    RECORDED: Limit("<=", 30.0),
}
BETA_MORE = Limit("<=", 8.0)  # than Bernoulli arms
GROWTH = {"ts": Limit("<=", 8.0), "ucb": Limit("<=", 10.0)}  # from nine arms to `MANY`
GAIN = Limit(">=", 100.0)  # of compiling delays

WHY = {
    "besa": "the algorithm draws as many uniforms: one for each report that a duel samples",
}


def measure(quick: bool) -> list[Row]:
    """Measure nanoseconds per customer, absolute and relative to the floor."""
    target, rounds = (0.03, 5) if quick else (0.08, 15)
    cost = best_of(tasks(target), rounds)
    floor = cost.pop(FLOOR)
    many = {policy: cost.pop(many_of(policy)) for policy in MANY}
    interpreted = cost.pop(INTERPRETED)
    return [
        Row(TITLE, "floor", FLOOR, floor / NANOSECOND, COST, 1.0, "floor"),
        *(in_floors(name, seconds, floor) for name, seconds in cost.items()),
        row("more than bernoulli", BETA_CASE, cost[BETA_CASE] - cost["ucb"], floor, BETA_MORE),
        *(growth(policy, seconds, cost[policy]) for policy, seconds in many.items()),
        row("market", DELAYED, interpreted, cost[DELAYED], GAIN, "batch"),
    ]


def in_floors(name: str, seconds: float, floor: float) -> Row:
    """The cost of a customer in the batch engine."""
    return row("batch", name, seconds, floor, ASKED.get(name), remark=WHY.get(name, ""))


def growth(policy: str, seconds: float, few: float) -> Row:
    """The cost of a customer with many arms, compared with nine."""
    return row("batch", policy, seconds, few, GROWTH[policy], "nine arms", MANY[policy])


def row(
    what: str,
    policy: str,
    seconds: float,
    unit: float,
    limit: Limit | None,
    to: str = "floor",
    arms: int = NINE,
    remark: str = "",
) -> Row:
    """A cost, and its ratio to another."""
    return Row(
        TITLE,
        what,
        policy,
        seconds / NANOSECOND,
        COST,
        seconds / unit,
        to,
        limit,
        arms,
        HORIZON,
        remark,
    )


def many_of(policy: str) -> str:
    """The name of the case with many arms."""
    return f"{policy}, {MANY[policy]} arms"


def tasks(target: float) -> dict[str, Task]:
    """The floor, all policies with greedy customers, and variations of `ucb` and `ts`."""
    markets = {name: market_of(name) for name in NAMES}
    markets[LOGIT_CASE] = market_of("ucb", customers=LOGIT)
    markets[BETA_CASE] = market_of("ucb", law=BETA)
    markets |= {many_of(policy): market_of(policy, arms=arms) for policy, arms in MANY.items()}
    markets[DELAYED] = market_of("ucb", **LATE)
    measured = {name: batch_task(market, target) for name, market in markets.items()}
    measured[RECORDED] = recording_task(market_of("ucb"), RECORDED_RUNS)
    return {FLOOR: floor_task(), INTERPRETED: market_task(markets[DELAYED]), **measured}
