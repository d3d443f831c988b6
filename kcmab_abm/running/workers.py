"""Divide replications into chunks, and run one chunk."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.entries import Entry, Law
from kcmab_abm.catalogue.user_files import current
from kcmab_abm.errors import MarketError
from kcmab_abm.market.carried_state import outside_state, refuse_carried_state
from kcmab_abm.market.run import Replay, run_market
from kcmab_abm.model.trajectory import Tally, Trajectory, tally
from kcmab_abm.results.results import EngineName
from kcmab_abm.running.ledger import ledger_name, new_ledger
from kcmab_abm.running.processes import pack, portable, unpack
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

Control = NDArray[np.int64]
Keep = Callable[[int, int, Trajectory], None]


class Cost(NamedTuple):
    """Approximate running time of an engine in nanoseconds, from which chunk sizes follow."""

    replication: int
    customer: int
    arm: int  # for each customer


COST = {"batch": Cost(2_000, 40, 4), "market": Cost(200_000, 25_000, 1_000)}
LEAST = 40_000_000  # nanoseconds in a chunk: below, the overhead is too large
LONGEST = 250_000_000  # nanoseconds in a chunk
PIECES = 256  # least number of chunks of a policy, where each is large enough
MOST = 10_000  # replications: their curves take tens of megabytes


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some replications of one policy, run by one worker."""

    engine: EngineName
    policy: str  # its label
    first: int
    count: int
    points: NDArray[np.int64]
    is_recorded: bool = False


class Outcome(NamedTuple):
    """The tally of a chunk, and those of its ledgers that are not on disk, by name."""

    tally: Tally
    ledgers: dict[str, bytes]


def chunk_size(scenario: Scenario, engine: EngineName, replications: int) -> int:
    """Return the replications per chunk, which depend on the scenario and not on the workers."""
    cost = COST[engine]
    arms = len(scenario.market.arms)
    each = cost.replication + scenario.horizon * (cost.customer + cost.arm * arms)
    share = max(-(-replications // PIECES), LEAST // each)
    return max(1, min(share, LONGEST // each, MOST))


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def new_control() -> Control:
    """Return the control array of a chunk that runs in this process."""
    return np.zeros(2, np.int64)


def run_chunk(
    chunk: Chunk, scenario: Scenario, control: Control | None = None, folder: Path | None = None
) -> Outcome:
    """Run one chunk; setting `control[0]` stops it, `control[1]` counts the customers served.

    Ledgers are written into the folder; without a folder they are returned.
    """
    ledgers: dict[str, bytes] = {}
    with _ledger(chunk, folder, ledgers) as keep:
        found = _run(chunk, scenario, control, keep)
    return Outcome(found, ledgers)


def run_parcel(chunk: Chunk, parcel: bytes, folder: Path | None = None) -> Outcome:
    """Run one chunk of a packed scenario in another process."""
    try:
        _, scenario = unpack(parcel)
        return run_chunk(chunk, scenario, folder=folder)
    except Exception as error:
        raise portable(error) from None


def pack_scenario(scenario: Scenario) -> bytes:
    """Pack a scenario for another process; raise an error that names what cannot be sent."""
    # User files first: the other process must run them before it resolves what they define.
    parcel = current(), scenario
    try:
        return pack(parcel)
    except Exception as error:
        for part in _parts(scenario):
            try:
                pack(part)
            except Exception as reason:
                raise MarketError(
                    f"{part.kind} {part.name!r} cannot be sent to another process ({reason}); "
                    "create what it refers to inside its functions, or run it in this process, "
                    "without --jobs or an executor"
                ) from error
        raise


def _parts(scenario: Scenario) -> list[Entry | Law]:
    market = scenario.market
    choices = [*scenario.policies, market.customers, scenario.purse.offer]
    entries = [*(choice.entry for choice in choices), *scenario.measures.entries]
    return [*entries, *(arm.law for arm in market.arms)]


@contextmanager
def _ledger(chunk: Chunk, folder: Path | None, ledgers: dict[str, bytes]) -> Iterator[Keep | None]:
    """Yield a function that records customers; None if the chunk is not recorded."""
    if not chunk.is_recorded:
        yield None
        return
    name = ledger_name(chunk.policy, chunk.first, chunk.count)
    where: Path | io.BytesIO = io.BytesIO() if folder is None else folder / name
    if isinstance(where, Path):
        where.parent.mkdir(parents=True, exist_ok=True)
    with new_ledger(where) as ledger:
        yield ledger.write
    if isinstance(where, io.BytesIO):
        ledgers[name] = where.getvalue()


def _run(chunk: Chunk, scenario: Scenario, control: Control | None, keep: Keep | None) -> Tally:
    policy: Choice = scenario.policy(chunk.policy)
    first, count, points = chunk.first, chunk.count, chunk.points
    if chunk.engine == "batch":
        # Late, because numba takes long to import.
        from kcmab_abm.batch.run import run_batch

        replay = Replay(scenario, policy)
        found = run_batch(scenario, policy, first, count, points, replay, control, keep=keep)
        return scenario.measures.in_order(found)

    def play(replication: int, noted: Keep | None = None) -> Tally:
        run = run_market(scenario, policy, replication)
        path = None
        market = scenario.market.drawn(scenario.seed, replication)
        if not market.is_steady:
            path = market.means_over_time(scenario.seed, replication, len(run))
        of_run = scenario.measures.of_run(run, scenario.horizon, replication)
        if noted is not None and scenario.records(replication):
            noted(replication, 0, run)
        return tally(run, market.means, points, path, of_run)

    states, parts = [outside_state(scenario, policy)], []
    for replication in range(first, first + count):
        parts.append(play(replication, keep))
        if replication in (first, first + count - 1):
            states.append(outside_state(scenario, policy))
    refuse_carried_state(play, states, scenario, policy, first, parts[0])
    whole = Tally(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    return scenario.measures.in_order(whole)
