"""Replications through a compiled kernel."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from kcmab_abm import streams
from kcmab_abm.batch.accounts import SUMS
from kcmab_abm.batch.ready import Ready, kernel_of, prepare
from kcmab_abm.batch.state import (
    BAD_OFFER,
    BAD_TARGET,
    DONE,
    STOPPED,
    Block,
    Tapes,
)
from kcmab_abm.errors import PlayError
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Tally, Trajectory
from kcmab_abm.world import Choice, bad_price

BLOCK = 512  # customers simulated before they are added up: their ledger stays in fast memory
LONG_BLOCK = 2**16  # the same where their ledger is kept, and written to disk

TAPES = 2**25  # rewards that a chunk may keep for the other policies

_COMPLAINT = re.compile(
    "Untyped global|No implementation|Unknown attribute|nsupported|not supported|Cannot|Invalid use"
)

Keep = Callable[[int, int, Trajectory], None]  # replication, customers before, what they did

_obstacles: dict[str, str] = {}  # by kernel: why it cannot be compiled, '' if it can


class Stopped(Exception):
    """The run was asked to stop, and did."""


def new_control() -> NDArray[np.int64]:
    """The line to a running kernel: set entry 0 to stop it; entry 1 counts its customers."""
    return np.zeros(2, np.int64)


def why_not(scenario: Scenario, policy: Choice) -> str:
    """Why the batch engine cannot run this policy in this scenario; '' if it can.

    Finds out by running one customer, which compiles the kernel unless it is on disk.
    """
    if scenario.market.needs_clock:
        return scenario.market.needs_clock
    kernel = kernel_of(scenario, policy).__name__
    if kernel not in _obstacles:
        _obstacles[kernel] = ""
        try:
            _run(prepare(scenario, policy, 1, np.array([1]), 1), 0, 1, new_control())
        except Exception as error:  # numba's are of many kinds; one customer runs no user code
            words = f"numba cannot compile {policy.entry.name!r}: {_own_words(error)}"
            _obstacles[kernel] = words
    return _obstacles[kernel]


def run_batch(
    scenario: Scenario,
    policy: Choice,
    first: int,
    count: int,
    checkpoints: NDArray[np.int64],
    control: NDArray[np.int64] | None = None,
    tapes: Tapes | None = None,
    keep: Keep | None = None,
) -> Tally:
    """Replications `first` to `first + count - 1`, added up at the checkpoints.

    `tapes`, made by `new_tapes` for the same replications, is shared with the other policies.
    `keep` is handed every customer of the replications that the scenario records.
    """
    size = min(BLOCK if keep is None else LONG_BLOCK, scenario.horizon)
    ready = prepare(scenario, policy, size, checkpoints, scenario.horizon)
    if control is None:
        control = new_control()
    if keep is None:
        return _run(ready, first, count, control, tapes)
    return _run_and_keep(ready, first, count, control, tapes, keep)


def new_tapes(scenario: Scenario, count: int) -> Tapes | None:
    """Room for the rewards of `count` replications, if a law is costly and policies can share."""
    arms = scenario.market.arms
    costly = any(arm.law.costly for arm in arms) and scenario.market.is_steady
    if len(scenario.policies) == 1 or not costly:
        return None
    room = min(scenario.horizon, TAPES // (count * len(arms)))
    # Never touched, never paid for: the system hands out memory when it is written to.
    return Tapes(np.empty((count, len(arms), room)), np.zeros((count, len(arms)), np.int64))


def trace_batch(scenario: Scenario, policy: Choice, replication: int) -> Trajectory:
    """One replication, customer by customer."""
    horizon = scenario.horizon
    ready = prepare(scenario, policy, horizon, np.array([horizon]), horizon)
    _run(ready, replication, 1, new_control())
    arrivals = streams.Stream().open(scenario.seed, replication, streams.ARRIVALS)
    return _written(scenario, ready.block, scenario.market.arrivals.clock(horizon, arrivals))


def _run(
    ready: Ready, first: int, count: int, control: NDArray[np.int64], tapes: Tapes | None = None
) -> Tally:
    tally = ready.new_tally(count)
    status = ready.driver.run_replications(
        ready.advance,
        ready.world,
        ready.state,
        ready.streams,
        tapes or ready.new_tapes(count),
        first,
        ready.block,
        np.empty(SUMS),
        tally,
        control,
    )
    _check(status, ready)
    tally.left[:] = ready.world.horizon - tally.pulls.sum(axis=1)
    return tally


def _run_and_keep(
    ready: Ready,
    first: int,
    count: int,
    control: NDArray[np.int64],
    tapes: Tapes | None,
    keep: Keep,
) -> Tally:
    """What `run_replications` does, with a stop after every block to hand it over."""
    scenario, driver, world, block = ready.scenario, ready.driver, ready.world, ready.block
    tally = ready.new_tally(count)
    values, known = tapes or ready.new_tapes(count)
    for place in range(count):
        replication = first + place
        kept = scenario.records(replication)
        arrivals = streams.Stream().open(scenario.seed, replication, streams.ARRIVALS)
        driver.begin(world, ready.state, ready.streams, np.uint64(replication))
        sums = np.zeros(SUMS)
        checkpoint, now = 0, 0.0
        for start in range(0, world.horizon, len(block.arms)):
            if control[0]:
                raise Stopped
            size = min(len(block.arms), world.horizon - start)
            status, customer, value, checkpoint = driver.run_block(
                ready.advance,
                world,
                ready.state,
                ready.streams,
                values[place],
                known[place],
                start,
                size,
                block,
                sums,
                place,
                checkpoint,
                tally,
            )
            _check((status, replication, customer, value), ready)
            control[1] += size
            if kept:
                clock = scenario.market.arrivals.clock(size, arrivals, start, now)
                now = float(clock[-1])
                keep(replication, start, _written(scenario, block, clock))
    tally.left[:] = world.horizon - tally.pulls.sum(axis=1)
    return tally


def _written(scenario: Scenario, block: Block, clock: NDArray[np.float64]) -> Trajectory:
    """The customers in a block, as many as the clock has."""
    here = slice(len(clock))
    market = scenario.market
    return Trajectory(
        clock=clock,
        targets=block.targets[here].copy(),
        offers=block.offers[here].copy(),
        arms=block.arms[here].copy(),
        rewards=block.rewards[here].copy(),
        payments=block.payments[here].copy(),
        regrets=market.gaps[block.arms[here]] if market.is_steady else block.regrets[here].copy(),
        seeded=block.seeded[here].copy(),
        waits=np.zeros(len(clock)),
        beside=block.beside[here].copy(),
        beside_offers=block.beside_offers[here].copy(),
    )


def _check(status: tuple[int, int, int, int], ready: Ready) -> None:
    code, _, customer, arm = status
    scenario, policy, block = ready.scenario, ready.policy, ready.block
    if code == DONE:
        return
    if code == STOPPED:
        raise Stopped
    last = len(scenario.market.arms) - 1
    if code == BAD_TARGET:
        raise PlayError(
            f"policy {policy.entry.name!r} chose arm {arm} for customer {customer}; "
            f"arms are 0..{last}"
        )
    if code == BAD_OFFER:
        price = block.offers[(customer - 1) % len(block.offers)]
        raise PlayError(bad_price(scenario.market.offers.rule, price, customer))
    raise PlayError(
        f"behaviour {scenario.market.customers.entry.name!r} took arm {arm} as customer "
        f"{customer}; arms are 0..{last}, or -1 to leave"
    )


def _own_words(error: Exception) -> str:
    """Numba's complaint and the line of the user's file that it is about."""
    lines = [re.sub("\\x1b\\[[0-9;]*m", "", line).strip() for line in str(error).splitlines()]
    places = [
        line.rstrip(":")
        for line in lines
        if line.startswith("File ") and "kernel.py" not in line and "site-packages" not in line
    ]
    complaints = [line for line in lines if _COMPLAINT.search(line)]
    words = complaints[-1] if complaints else next((line for line in lines if line), repr(error))
    return f"{words} ({places[-1]})" if places else words
