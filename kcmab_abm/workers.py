"""Spread replications over threads, processes or any executor, watch them, stop them."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.ledger import ledger_name, new_ledger
from kcmab_abm.market.run import run_market
from kcmab_abm.plugins import Plugins, current
from kcmab_abm.processes import processes
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Tally, Trajectory, tally
from kcmab_abm.world import Choice

Progress = Callable[[int, int], None]
Control = NDArray[np.int64]
Keep = Callable[[int, int, Trajectory], None]
EngineName = Literal["market", "batch"]

CHUNK = {"batch": 20_000_000, "market": 100_000}  # customers: a second or two of work
COSTLY = 10  # times less, where rewards take long to compute
MOST = 10_000  # replications: their curves take tens of megabytes
PIECES = 16  # at least, where there is so much to do, so that all workers have some
LEAST = {"batch": 20_000, "market": 1_000}  # customers: below, handing a chunk over costs more
AHEAD = 4  # chunks that wait for each worker
ELSEWHERE = 1024  # chunks that wait for an executor whose workers are not known
_POLL = 0.05  # seconds between two reports of progress


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some replications of some policies: what one worker does at a time."""

    # First, so that another process runs the user's files before it looks for what they define.
    plugins: Plugins = field(init=False, default_factory=current)
    engine: EngineName
    scenario: Scenario
    policies: tuple[Choice, ...]
    first: int
    count: int
    points: NDArray[np.int64]
    is_recorded: bool = False

    @property
    def customers(self) -> int:
        """How many customers there are in it."""
        return self.count * self.scenario.horizon * len(self.policies)


class Outcome(NamedTuple):
    """What came of a chunk: a tally a policy, and the ledgers that are not on disk, by name."""

    tallies: list[Tally]
    ledgers: dict[str, bytes]


def chunk_size(scenario: Scenario, engine: EngineName, policies: int, replications: int) -> int:
    """How many of these replications make a chunk: cut by the scenario, never by the workers."""
    costly = any(arm.law.costly for arm in scenario.market.arms)
    customers = CHUNK[engine] // (COSTLY if costly else 1) // policies
    share = max(-(-replications // PIECES), LEAST[engine] // scenario.horizon)
    return max(1, min(customers // scenario.horizon, share, MOST))


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_chunk(chunk: Chunk, control: Control | None = None, folder: Path | None = None) -> Outcome:
    """Run one chunk; setting `control[0]` stops it, `control[1]` counts the customers served.

    What the scenario records goes into ledgers in the folder; without one they come back.
    """
    tapes: Any = None
    if chunk.engine == "batch":
        # Late, because numba takes as long to import as all the rest together.
        from kcmab_abm.batch.run import new_tapes

        tapes = new_tapes(chunk.scenario, chunk.count)
    outcome = Outcome([], {})
    for policy in chunk.policies:
        with _ledger(chunk, policy, folder, outcome) as keep:
            outcome.tallies.append(_run_policy(chunk, policy, control, tapes, keep))
    return outcome


@contextmanager
def _ledger(
    chunk: Chunk, policy: Choice, folder: Path | None, outcome: Outcome
) -> Iterator[Keep | None]:
    """What writes down the customers of a policy, if they are recorded."""
    if not chunk.is_recorded:
        yield None
        return
    name = ledger_name(policy.label, chunk.first, chunk.count)
    where: Path | io.BytesIO = io.BytesIO() if folder is None else folder / name
    if isinstance(where, Path):
        where.parent.mkdir(parents=True, exist_ok=True)
    with new_ledger(where) as ledger:
        yield ledger.write
    if isinstance(where, io.BytesIO):
        outcome.ledgers[name] = where.getvalue()


def _run_policy(
    chunk: Chunk, policy: Choice, control: Control | None, tapes: Any, keep: Keep | None
) -> Tally:
    scenario, first, count, points = chunk.scenario, chunk.first, chunk.count, chunk.points
    if chunk.engine == "batch":
        from kcmab_abm.batch.run import run_batch

        return run_batch(scenario, policy, first, count, points, control, tapes, keep)
    market = scenario.market
    parts = []
    for replication in range(first, first + count):
        run = run_market(scenario, policy, replication)
        path = None
        if not market.is_steady:
            path = market.means_over_time(scenario.seed, replication, len(run))
        parts.append(tally(run, market.means, points, path))
        if keep is not None and scenario.records(replication):
            keep(replication, 0, run)
    return Tally(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def outcomes(
    chunks: list[Chunk],
    total: int,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    folder: Path | None = None,
) -> Iterator[tuple[Chunk, Outcome]]:
    """Every chunk with what came of it, in the order in which they are done.

    `total` is the number of customers in all, those of earlier chunks among them. The batch engine
    runs in `jobs` threads, the market engine in this thread, or in `jobs` processes if there are to
    be several.
    """
    meter = _Meter(total, progress)
    meter.add(total - sum(chunk.customers for chunk in chunks))
    for engine, group in groupby(chunks, lambda chunk: chunk.engine):
        if executor is not None:
            workers = getattr(executor, "_max_workers", ELSEWHERE // AHEAD)
            yield from _run_in(executor, group, workers, meter, None, None)
        elif engine == "batch":
            count = jobs or cores()
            with ThreadPoolExecutor(count) as pool:
                yield from _run_in(pool, group, count, meter, folder, new_control)
        elif jobs is not None and jobs > 1:
            with processes(jobs) as pool:
                yield from _run_in(pool, group, jobs, meter, folder, None)
        else:
            # In this thread, where a debugger or Ctrl-C finds it.
            for chunk in group:
                outcome = run_chunk(chunk, folder=folder)
                meter.add(chunk.customers)
                yield chunk, outcome


def new_control() -> Control:
    """The line to a chunk that runs in this process."""
    return np.zeros(2, np.int64)


def _run_in(
    pool: Executor,
    chunks: Iterable[Chunk],
    workers: int,
    meter: _Meter,
    folder: Path | None,
    control: Callable[[], Control] | None,
) -> Iterator[tuple[Chunk, Outcome]]:
    """Keep the workers of a pool busy, a few chunks ahead; stop when nobody listens any more."""
    tasks: dict[Future[Outcome], tuple[Chunk, Control | None]] = {}
    left = iter(chunks)
    try:
        while True:
            for chunk in islice(left, AHEAD * workers - len(tasks)):
                line = control() if control else None
                tasks[pool.submit(run_chunk, chunk, line, folder)] = chunk, line
            if not tasks:
                return
            done = wait(tasks, _POLL, FIRST_COMPLETED).done
            for task in [task for task in tasks if task in done]:
                _fail_first(task, tasks)
                chunk, _ = tasks.pop(task)
                meter.add(chunk.customers)
                yield chunk, task.result()
            meter.show(sum(int(line[1]) for _, line in tasks.values() if line is not None))
    finally:
        for task, (_, line) in tasks.items():
            task.cancel()
            if line is not None:
                line[0] = 1


def _fail_first(task: Future[Outcome], tasks: Iterable[Future[Outcome]]) -> None:
    """If the task failed, raise the error of the first one that did, whoever noticed first."""
    if task.exception() is not None:
        for each in tasks:
            each.result()


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
