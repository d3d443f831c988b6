"""Spread replications over threads or any executor, watch them, stop them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.market.run import run_market
from kcmab_abm.scenario import Choice, Scenario
from kcmab_abm.trajectory import Tally, tally

Progress = Callable[[int, int], None]
Control = NDArray[np.int64]

CHUNK = 1_000_000  # customers: a few hundredths of a second in the batch engine
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
    size = max(1, CHUNK // horizon)
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
    for replication in range(chunk.first, chunk.first + chunk.count):
        run = run_market(chunk.scenario, policy, replication)
        parts.append(tally(run, chunk.scenario.market.means, chunk.points))
        if meter is not None:
            meter.add(len(run))
    return Tally(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def tallies(
    chunks: list[Chunk], jobs: int | None, executor: Executor | None, progress: Progress | None
) -> Iterator[tuple[Chunk, list[Tally]]]:
    """Every chunk with a tally for each of its policies; those of one policy come in order."""
    meter = _Meter(sum(chunk.customers for chunk in chunks), progress)
    if executor is not None:
        yield from _run_elsewhere(chunks, executor, meter)
        return
    batch = [chunk for chunk in chunks if chunk.engine == "batch"]
    if batch:
        yield from _run_in_threads(batch, jobs or cores(), meter)
    for chunk in chunks:
        if chunk.engine == "market":
            # In this thread, where a debugger or Ctrl-C finds it.
            yield chunk, [_run_market(chunk, policy, meter) for policy in chunk.policies]


def _run_elsewhere(
    chunks: list[Chunk], executor: Executor, meter: _Meter
) -> Iterator[tuple[Chunk, list[Tally]]]:
    """Hand the chunks to the user's own executor."""
    futures = [executor.submit(run_chunk, chunk) for chunk in chunks]
    try:
        for chunk, future in zip(chunks, futures, strict=True):
            yield chunk, future.result()
            meter.add(chunk.customers)
    finally:
        for future in futures:
            future.cancel()


def _run_in_threads(
    chunks: list[Chunk], jobs: int, meter: _Meter
) -> Iterator[tuple[Chunk, list[Tally]]]:
    """Run chunks in threads; they are told to stop when nobody waits for them any more."""
    controls = [np.zeros(2, np.int64) for _ in chunks]
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(run_chunk, *pair) for pair in zip(chunks, controls, strict=True)]
        try:
            for chunk, future in zip(chunks, futures, strict=True):
                while wait([future], _POLL).not_done:
                    meter.set(sum(int(control[1]) for control in controls))
                yield chunk, future.result()
            meter.set(sum(chunk.customers for chunk in chunks))
        finally:
            for future, control in zip(futures, controls, strict=True):
                future.cancel()
                control[0] = 1


class _Meter:
    """How far the work has come, told to whoever wants to know."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.total = total
        self.done = 0
        self._progress = progress

    def add(self, customers: int) -> None:
        self.set(self.done + customers)

    def set(self, customers: int) -> None:
        self.done = customers
        if self._progress is not None:
            self._progress(self.done, self.total)
