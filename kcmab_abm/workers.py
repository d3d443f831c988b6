"""Spread replications over threads or any executor, watch them, stop them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.market.run import run_market
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Tally, tally
from kcmab_abm.world import Choice

Progress = Callable[[int, int], None]
Control = NDArray[np.int64]

CHUNK = 1_000_000  # customers: a few hundredths of a second in the batch engine
PIECES = 16  # at least, where there are so many replications, so that all workers have some
AHEAD = 4  # chunks that wait for each thread
_POLL = 0.05  # seconds between two reports of progress


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some replications of some policies: what one worker does at a time."""

    engine: Literal["market", "batch"]
    scenario: Scenario
    policies: tuple[Choice, ...]
    first: int
    count: int
    points: NDArray[np.int64]

    @property
    def customers(self) -> int:
        """How many customers there are in it."""
        return self.count * self.scenario.horizon * len(self.policies)


def cut(replications: int, horizon: int) -> Iterator[tuple[int, int]]:
    """Replications in chunks (first, count), cut by the scenario alone: never by the workers."""
    size = max(1, min(CHUNK // horizon, -(-replications // PIECES)))
    for first in range(0, replications, size):
        yield first, min(size, replications - first)


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_chunk(chunk: Chunk, control: Control | None = None) -> list[Tally]:
    """Run one chunk, a tally a policy; setting `control[0]` stops it, `control[1]` counts."""
    if chunk.engine == "market":
        return [_run_market(chunk, policy) for policy in chunk.policies]
    # Late, because numba takes as long to import as all the rest together.
    from kcmab_abm.batch.run import new_tapes, run_batch

    scenario, first, count, points = chunk.scenario, chunk.first, chunk.count, chunk.points
    tapes = new_tapes(scenario, count)
    return [
        run_batch(scenario, policy, first, count, points, control, tapes)
        for policy in chunk.policies
    ]


def _run_market(chunk: Chunk, policy: Choice, meter: _Meter | None = None) -> Tally:
    parts = []
    scenario, market = chunk.scenario, chunk.scenario.market
    for replication in range(chunk.first, chunk.first + chunk.count):
        run = run_market(scenario, policy, replication)
        path = None
        if not market.is_steady:
            path = market.means_over_time(scenario.seed, replication, len(run))
        parts.append(tally(run, market.means, chunk.points, path))
        if meter is not None:
            meter.add(len(run))
    return Tally(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def tallies(
    chunks: Iterable[Chunk],
    total: int,
    jobs: int | None,
    executor: Executor | None,
    progress: Progress | None,
) -> Iterator[tuple[Chunk, list[Tally]]]:
    """Every chunk with a tally for each of its policies; those of one policy come in order.

    `total` is the number of customers in all chunks.
    """
    meter = _Meter(total, progress)
    for engine, group in groupby(chunks, lambda chunk: chunk.engine):
        if executor is not None:
            yield from _run_elsewhere(group, executor, meter)
        elif engine == "batch":
            yield from _run_in_threads(group, jobs or cores(), meter)
        else:
            # In this thread, where a debugger or Ctrl-C finds it.
            for chunk in group:
                yield chunk, [_run_market(chunk, policy, meter) for policy in chunk.policies]


def _run_elsewhere(
    chunks: Iterable[Chunk], executor: Executor, meter: _Meter
) -> Iterator[tuple[Chunk, list[Tally]]]:
    """Hand the chunks to the user's own executor."""
    tasks = [(chunk, executor.submit(run_chunk, chunk)) for chunk in chunks]
    try:
        for chunk, future in tasks:
            yield chunk, future.result()
            meter.add(chunk.customers)
    finally:
        for _, future in tasks:
            future.cancel()


def _run_in_threads(
    chunks: Iterable[Chunk], jobs: int, meter: _Meter
) -> Iterator[tuple[Chunk, list[Tally]]]:
    """Run chunks in threads, a few ahead; they stop when nobody waits for them any more."""
    tasks: deque[tuple[Chunk, Future[list[Tally]], Control]] = deque()
    left = iter(chunks)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                for chunk in islice(left, AHEAD * jobs - len(tasks)):
                    control = np.zeros(2, np.int64)
                    tasks.append((chunk, pool.submit(run_chunk, chunk, control), control))
                if not tasks:
                    return
                chunk, future, _ = tasks[0]
                while wait([future], _POLL).not_done:
                    meter.show(sum(int(control[1]) for _, _, control in tasks))
                yield chunk, future.result()
                tasks.popleft()
                meter.add(chunk.customers)
        finally:
            for _, future, control in tasks:
                future.cancel()
                control[0] = 1


class _Meter:
    """How far the work has come, told to whoever wants to know."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total = total
        self._done = 0
        self._progress = progress

    def add(self, customers: int) -> None:
        self._done += customers
        self.show(0)

    def show(self, under_way: int) -> None:
        if self._progress is not None:
            self._progress(self._done + under_way, self._total)
