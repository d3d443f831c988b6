"""Two threads against one, through the public door."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from bench.cases import HORIZON, NINE, market_of, replications_task
from bench.clock import repetitions
from bench.floor import CUSTOMERS, draw
from bench.report import Limit, Row
from kcmab_abm import simulate
from kcmab_abm.catalogue import POLICIES

ASKED = Limit(">=", 1.7)
LONG, SHORT = 1.0, 0.1  # seconds on one core
TITLE = "two jobs against one"


def measure(quick: bool) -> list[Row]:
    """How much sooner two jobs are done than one; long runs of every policy, and a short one."""
    rounds, target = (1, SHORT) if quick else (5, LONG)
    long = [compare(policy, target, rounds, ASKED) for policy in POLICIES.own_names()]
    return [*long, compare("ts", SHORT, rounds, None)]


def compare(policy: str, target: float, rounds: int, limit: Limit | None) -> Row:
    """One policy with two jobs and with one, beside two bare loops and one.

    Where even the bare loops fail the limit, other processes had the second core, and nothing is
    said about the limit.
    """
    once = replications_task(market_of(policy), 1)
    scenario = market_of(policy, replications=repetitions(once.run, target))
    run = partial(simulate, scenario, engine="batch")
    laps: list[Callable[[], object]] = [partial(run, jobs=jobs) for jobs in (1, 2)]
    laps += [partial(loops, jobs) for jobs in (1, 2)]
    one, two, bare_one, bare_two = race(laps, rounds)
    judged = limit if ASKED.holds(bare_one / bare_two) else None
    remark = f"{scenario.replications:,} replications; bare loops {bare_one / bare_two:.2f}"
    return Row(
        TITLE, "batch", policy, two, "s", one / two, "one job", judged, NINE, HORIZON, remark
    )


def loops(jobs: int) -> None:
    """Eight bare loops that share nothing, on so many threads."""
    draw(np.random.default_rng(0), 1)
    with ThreadPoolExecutor(jobs) as pool:
        parts = [np.random.default_rng(part) for part in range(8)]
        list(pool.map(draw, parts, [CUSTOMERS // 4] * len(parts)))


def race(laps: list[Callable[[], object]], rounds: int) -> list[float]:
    """The least seconds of each, in turns; up to three times the rounds if disturbed."""
    best = [timed(lap) for lap in laps]
    for turn in range(1, 3 * rounds):
        if turn >= rounds and ASKED.holds(best[0] / best[1]):
            break
        best = [min(seconds, timed(lap)) for seconds, lap in zip(best, laps, strict=True)]
    return best


def timed(run: Callable[[], object]) -> float:
    """One lap, by the clock on the wall."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
