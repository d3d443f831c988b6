"""The batch engine compared with NumPy and with other libraries."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.cases import HORIZON, NINE, market_of, means_of, numpy_task, replications_task
from bench.clock import NANOSECOND, Timed, best_of
from bench.peers.catalogue import Peer
from bench.peers.process import Driver, Games, drivers
from bench.report import COST, Limit, Row
from bench.vectorised import run_vectorised

POLICIES = ("ucb", "ts")
REPLICATIONS = 1000
OURS, NUMPY, TUNED = "batch", "NumPy", "tuned NumPy"
ASKED = {
    (NUMPY, "ucb"): Limit(">=", 3.0),
    (NUMPY, "ts"): Limit(">=", 3.0),
    ("SMPyBandits", "ucb"): Limit(">=", 500.0),
    ("SMPyBandits", "ts"): Limit(">=", 150.0),
    ("river", "ucb"): Limit(">=", 200.0),
    ("river", "ts"): Limit(">=", 100.0),
}
TITLE = "against NumPy and other libraries"
SWEEP = "against NumPy and other libraries, other sizes"
SIZES = ((2, HORIZON), (30, HORIZON), (100, HORIZON))
NUMPY_SIZES = ((NINE, 1_000), (NINE, 100_000))
SIDE_BY_SIDE = f"the same market and accounting, {REPLICATIONS:,} replications side by side"


class Case(NamedTuple):
    """A player, a policy and the size of a market."""

    who: str
    policy: str
    arms: int = NINE
    horizon: int = HORIZON


def measure(quick: bool, environments: Path) -> list[Row]:
    """Measure the paper's instance, then `ucb` at other sizes; skip peers that are missing."""
    with drivers(environments) as (ready, missing):
        rows = compare(TITLE, on_nine_arms(ready), 1 if quick else 9)
        rows += [absent(peer, policy, why) for peer, why in missing.items() for policy in POLICIES]
        if not quick:
            rows += compare(SWEEP, on_other_sizes(ready), 3)
    return rows


def on_nine_arms(ready: list[Driver]) -> dict[Case, Timed]:
    """All players with both policies on the paper's instance."""
    tasks: dict[Case, Timed] = {}
    for policy in POLICIES:
        tasks[Case(OURS, policy)] = replications_task(market_of(policy), REPLICATIONS)
        tasks[Case(NUMPY, policy)] = numpy_task(policy, REPLICATIONS)
        tasks[Case(TUNED, policy)] = numpy_task(policy, REPLICATIONS, play=run_vectorised)
        tasks |= {Case(each.name, policy): games(each, policy) for each in ready}
    return tasks


def on_other_sizes(ready: list[Driver]) -> dict[Case, Timed]:
    """All players' `ucb` with other numbers of arms, NumPy's also of customers."""
    tasks: dict[Case, Timed] = {}
    for arms, horizon in SIZES + NUMPY_SIZES:
        size = {"arms": arms, "horizon": horizon}
        ours = replications_task(market_of("ucb", **size), REPLICATIONS)
        tasks[Case(OURS, "ucb", **size)] = ours
        tasks[Case(NUMPY, "ucb", **size)] = numpy_task("ucb", REPLICATIONS, **size)
        if (arms, horizon) in SIZES:
            tasks |= {Case(each.name, "ucb", **size): games(each, "ucb", arms) for each in ready}
    return tasks


def games(driver: Driver, policy: str, arms: int = NINE) -> Games:
    """A peer's games, one per turn."""
    return Games(driver, policy, means_of(arms).tolist(), HORIZON)


def compare(title: str, tasks: dict[Case, Timed], rounds: int) -> list[Row]:
    """Time all cases in turns, with the ratio to the batch engine."""
    cost = best_of(tasks, rounds)
    rows = []
    for case, seconds in cost.items():
        ours = case.who == OURS
        ratio = seconds / cost[case._replace(who=OURS)]
        rows.append(
            Row(
                title,
                case.who,
                case.policy,
                seconds / NANOSECOND,
                COST,
                None if ours else ratio,
                "" if ours else OURS,
                ASKED.get((case.who.split()[0], case.policy)) if title == TITLE else None,
                case.arms,
                case.horizon,
                remark_on(tasks[case]) if not ours and title == TITLE else "",
            )
        )
    return rows


def remark_on(task: Timed) -> str:
    """The differences in the work done, and a peer's mean regret."""
    if not isinstance(task, Games):
        return SIDE_BY_SIDE
    regret = f"regret {np.mean(task.regrets):.0f}, {len(task.regrets)} games"
    return f"{task.driver.peer.remark} ({regret})"


def absent(peer: Peer, policy: str, why: str) -> Row:
    """A row for a peer that could not be measured."""
    limit = ASKED.get((peer.name, policy))
    remark = f"not measured: {why}"
    return Row(TITLE, peer.name, policy, None, COST, limit=limit, arms=NINE, remark=remark)
