"""Replications through a compiled kernel."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType
from typing import NoReturn
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.checked import Beyond
from kcmab_abm.batch.linking import Uncompilable
from kcmab_abm.batch.ready import (
    Ready,
    counter_of,
    kernel_of,
    new_control,
    prepare,
    with_more_room,
)
from kcmab_abm.batch.state import CROWDED, DONE, REFUSED, STOPPED
from kcmab_abm.errors import BeyondCompiled, EngineError
from kcmab_abm.model import streams
from kcmab_abm.model.trajectory import Tally, Trajectory
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

BLOCK = 512  # customers per block: their ledger stays in the cache
LONG_BLOCK = 2**16  # the same for replications whose ledger is written to disk

_COMPLAINT = re.compile(
    "Untyped global|No implementation|Unknown attribute|nsupported|not supported|Cannot|Invalid use"
)

_NOT_THE_USERS = ("kernel.py", "site-packages", "<string>")  # in the paths of numba's messages

Keep = Callable[[int, int, Trajectory], None]  # replication, customers before, trajectory
# Plays the first customers of a replication in the market, and raises any error there.
Replay = Callable[[int, int], None]

# Why a kernel, or what counts measures, cannot be compiled, or ''.
_obstacles = WeakKeyDictionary[ModuleType, str]()


class Stopped(Exception):
    """The run was stopped on request."""


def why_not(scenario: Scenario, policy: Choice) -> str:
    """The reason why the batch engine cannot run this policy in this scenario; '' if it can.

    Compiles the kernel, unless it is on disk. Failures other than numba's refusal to compile are
    raised, because they are no reason to use another engine.
    """
    if scenario.market.needs_market:
        return scenario.market.needs_market
    kernel, counter = kernel_of(scenario, policy), counter_of(scenario)
    modules = [kernel] if counter is None else [kernel, counter]
    known = [_obstacles.get(module) for module in modules]
    if None in known and not any(known):
        try:
            prepare(scenario, policy, 1, np.array([1]), 1)
            _obstacles.update(dict.fromkeys(modules, ""))
        except Uncompilable as error:
            names = [policy.entry.name]
            if error.args[0] is counter:
                names = [each.entry.name for each in scenario.measures.of_customers]
            what = ", ".join(map(repr, names))
            words = f"numba cannot compile {what}: {_own_words(error.__cause__)}"
            _obstacles[error.args[0]] = words
    return next(filter(None, map(_obstacles.get, modules)), "")


def run_batch(
    scenario: Scenario,
    policy: Choice,
    first: int,
    count: int,
    checkpoints: NDArray[np.int64],
    replay: Replay,
    control: NDArray[np.int64] | None = None,
    keep: Keep | None = None,
) -> Tally:
    """Replications `first` to `first + count - 1`, added up at the checkpoints.

    Suspected errors are replayed by `replay`, which raises them. `keep` receives every customer of
    the replications that the scenario records.
    """
    of_runs = len(scenario.measures.of_runs)
    size = min(BLOCK if keep is None else LONG_BLOCK, scenario.horizon)
    ready = prepare(
        scenario, policy, scenario.horizon if of_runs else size, checkpoints, scenario.horizon
    )
    control = new_control() if control is None else control
    if not of_runs:
        return _run(ready, first, count, replay, control, keep)
    values: list[list[float]] = []

    def count_run(replication: int, before: int, run: Trajectory) -> None:
        values.append(scenario.measures.of_run(run, scenario.horizon, replication))
        if keep is not None and scenario.records(replication):
            keep(replication, before, run)

    found = _run(ready, first, count, replay, control, count_run)
    found.curves[:, :-1, -of_runs:] = np.nan
    found.curves[:, -1, -of_runs:] = values
    return found


def trace_batch(
    scenario: Scenario,
    policy: Choice,
    replication: int,
    replay: Replay,
    served: int | None = None,
) -> Trajectory:
    """One replication, customer by customer; all of them, or the first `served`."""
    customers = served or scenario.horizon
    ready = prepare(scenario, policy, customers, np.array([customers]), customers)
    _run(ready, replication, 1, replay, new_control())
    arrivals = streams.Stream().open(scenario.seed, replication, streams.ARRIVALS)
    return _written(ready, scenario.market.arrivals.clock(customers, arrivals))


def _run(
    ready: Ready,
    first: int,
    count: int,
    replay: Replay,
    control: NDArray[np.int64],
    keep: Keep | None = None,
) -> Tally:
    """Run a job to its end, stopping after every block if blocks are kept."""
    job, horizon = ready.new_job(first, count, control), ready.job.world.horizon
    hand_over = keep and _handing_over(ready, keep)
    before, served = int(control[1]), 0
    while served < count * horizon:
        until = served + 1 if hand_over else count * horizon
        try:
            status, replication, customer = ready.run(job, served, until)
        except Exception as error:
            served = int(control[1]) - before
            _explain(ready, first + served // horizon, served % horizon, replay, error)
        if status == CROWDED:
            job = with_more_room(job)
        else:
            _check(status, replication, customer, ready, replay)
            if hand_over:
                hand_over(first + served // horizon, served % horizon)
        served = int(control[1]) - before
    job.tally.left[:] = horizon - job.tally.pulls.sum(axis=1)
    return job.tally


def _handing_over(ready: Ready, keep: Keep) -> Callable[[int, int], None]:
    """A function that passes the current block to `keep`, with the times of arrival."""
    scenario, block = ready.scenario, ready.job.block
    arrivals, now = streams.Stream(), 0.0

    def hand_over(replication: int, start: int) -> None:
        nonlocal now
        if not (scenario.measures.of_runs or scenario.records(replication)):
            return
        if start == 0:
            arrivals.open(scenario.seed, replication, streams.ARRIVALS)
            now = 0.0
        size = min(len(block.arms), scenario.horizon - start)
        clock = scenario.market.arrivals.clock(size, arrivals.rng, start, now)
        now = float(clock[-1])
        keep(replication, start, _written(ready, clock))

    return hand_over


def _written(ready: Ready, clock: NDArray[np.float64]) -> Trajectory:
    """The first customers of the current block, one for each time of arrival."""
    here, block, market = slice(len(clock)), ready.job.block, ready.scenario.market
    counting = ready.counting
    gaps = ready.job.world.gaps  # of this replication's market
    return Trajectory(
        clock=clock,
        targets=block.targets[here].copy(),
        offers=block.offers[here].copy(),
        arms=block.arms[here].copy(),
        rewards=block.rewards[here].copy(),
        payments=block.payments[here].copy(),
        regrets=gaps[block.arms[here]] if market.is_steady else block.regrets[here].copy(),
        seeded=block.seeded[here].copy(),
        waits=np.zeros(len(clock)),
        beside=block.beside[here].copy(),
        beside_offers=block.beside_offers[here].copy(),
        counts=np.empty((len(clock), 0)) if counting is None else counting.counts[here].copy(),
    )


def _check(status: int, replication: int, customer: int, ready: Ready, replay: Replay) -> None:
    """Raise unless all is well; a suspicion that the market does not confirm is ignored."""
    if status == STOPPED:
        raise Stopped
    if status != DONE:
        replay(replication, customer)
    if status == REFUSED:
        raise _defect(ready, replication, customer, "refused what a function answered")


def _explain(
    ready: Ready, replication: int, start: int, replay: Replay, error: Exception
) -> NoReturn:
    """Raise the market's error for the block in which compiled code raised.

    If the market raises none, only compiled code fails.
    """
    last = min(start + len(ready.job.block.arms), ready.job.world.horizon)
    replay(replication, last)
    if isinstance(error, Beyond):
        where = f"among customers {start + 1} to {last} of replication {replication}"
        raise BeyondCompiled(ready.policy.label, f"{error}, {where}") from None
    words = f"raised {type(error).__name__}: {error}"
    raise _defect(ready, replication, last, words) from error


def _defect(ready: Ready, replication: int, customer: int, did: str) -> EngineError:
    return EngineError(
        f"policy {ready.policy.label!r}: compiled code {did}, at customer {customer} of "
        f"replication {replication} or shortly before, and Python did not; this should not "
        "happen, please report it; engine 'market' runs it"
    )


def _own_words(error: BaseException | None) -> str:
    """Numba's complaint, and the line of the user's file that caused it."""
    lines = [re.sub("\\x1b\\[[0-9;]*m", "", line).strip() for line in str(error).splitlines()]
    places = [
        line.rstrip(":")
        for line in lines
        if line.startswith("File ") and not any(word in line for word in _NOT_THE_USERS)
    ]
    complaints = [line for line in lines if _COMPLAINT.search(line)]
    words = complaints[-1] if complaints else next((line for line in lines if line), repr(error))
    return f"{words} ({places[-1]})" if places else words
