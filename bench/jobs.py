"""Two threads compared with one, using the public interface."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from bench.cases import HORIZON, NAMES, NINE, market_of, replications_task
from bench.clock import repetitions
from bench.floor import CUSTOMERS, draw
from bench.report import Limit, Row
from kcmab_abm import simulate

ASKED = Limit(">=", 1.85)
LONG, SHORT = 1.0, 0.1  # seconds on one core
TITLE = "two jobs against one"


def measure(quick: bool) -> list[Row]:
    """Measure the speed-up of two jobs, in long runs of every policy and a short one."""
    rounds, target = (1, SHORT) if quick else (5, LONG)
    long = [compare(policy, target, rounds, ASKED) for policy in NAMES]
    return [*long, compare("ts", SHORT, rounds, None)]


def compare(policy: str, target: float, rounds: int, limit: Limit | None) -> Row:
    """Measure one policy with two jobs and with one, next to bare loops.

    If even the bare loops fail the limit, other processes used the second core, and the limit is
    not judged.
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
    """Run eight independent bare loops on the given number of threads."""
    draw(np.random.default_rng(0), 1)
    with ThreadPoolExecutor(jobs) as pool:
        parts = [np.random.default_rng(part) for part in range(8)]
        list(pool.map(draw, parts, [CUSTOMERS // 4] * len(parts)))


def race(laps: list[Callable[[], object]], rounds: int) -> list[float]:
    """The minimum seconds of each task, with up to three times the rounds if disturbed."""
    best = [timed(lap) for lap in laps]
    for turn in range(1, 3 * rounds):
        if turn >= rounds and ASKED.holds(best[0] / best[1]):
            break
        best = [min(seconds, timed(lap)) for seconds, lap in zip(best, laps, strict=True)]
    return best


def timed(run: Callable[[], object]) -> float:
    """Wall-clock time of one call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
