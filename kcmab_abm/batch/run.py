"""Replications through a compiled kernel."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm import streams
from kcmab_abm.batch.compile import kernel_for, known_laws
from kcmab_abm.batch.state import (
    BAD_OFFER,
    BAD_TARGET,
    DONE,
    STOPPED,
    Block,
    State,
    Streams,
    Tapes,
    World,
)
from kcmab_abm.book import empty_book
from kcmab_abm.entries import Law
from kcmab_abm.errors import PlayError
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Tally, Trajectory, empty_tally
from kcmab_abm.world import Choice, Market, bad_price

BLOCK = 512  # customers simulated before they are added up: their ledger stays in fast memory

TAPES = 2**25  # rewards that a chunk may keep for the other policies

_COMPLAINT = re.compile(
    "Untyped global|No implementation|Unknown attribute|nsupported|not supported|Cannot|Invalid use"
)

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
    kernel = _kernel_of(scenario, policy).__name__
    if kernel not in _obstacles:
        _obstacles[kernel] = ""
        try:
            _run(scenario, policy, 0, 1, _new_block(1, scenario), np.array([1]), 1, new_control())
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
) -> Tally:
    """Replications `first` to `first + count - 1`, added up at the checkpoints.

    `tapes`, made by `new_tapes` for the same replications, is shared with the other policies.
    """
    horizon = scenario.horizon
    block = _new_block(min(BLOCK, horizon), scenario)
    if control is None:
        control = new_control()
    return _run(scenario, policy, first, count, block, checkpoints, horizon, control, tapes)


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
    horizon, market = scenario.horizon, scenario.market
    block = _new_block(horizon, scenario)
    _run(scenario, policy, replication, 1, block, np.array([horizon]), horizon, new_control())
    arrivals = streams.Stream().open(scenario.seed, replication, streams.ARRIVALS)
    return Trajectory(
        clock=market.arrivals.clock(horizon, arrivals),
        targets=block.targets,
        offers=block.offers,
        arms=block.arms,
        rewards=block.rewards,
        payments=block.payments,
        regrets=market.gaps[block.arms] if market.is_steady else block.regrets,
        seeded=block.seeded,
        waits=np.zeros(horizon),
    )


def _run(
    scenario: Scenario,
    policy: Choice,
    first: int,
    count: int,
    block: Block,
    checkpoints: NDArray[np.int64],
    horizon: int,
    control: NDArray[np.int64],
    tapes: Tapes | None = None,
) -> Tally:
    market = scenario.market
    kernel = _kernel_of(scenario, policy)
    kinds = {law.name: kind for kind, law in enumerate(_laws_of(scenario))}
    rows = np.zeros((len(market.arms), max(len(arm.row) for arm in market.arms)))
    for place, arm in enumerate(market.arms):
        rows[place, : len(arm.row)] = arm.row
    world = World(
        root=streams.root_key(scenario.seed),
        horizon=horizon,
        checkpoints=checkpoints,
        gaps=market.gaps,
        kinds=np.array([kinds[arm.law.name] for arm in market.arms]),
        rows=rows,
        report_probability=market.report_probability,
        steady=market.is_steady,
        changes=market.change.arrays(),
        means=market.means,
        also=market.offers.also,
        error=market.offers.error,
        **_agent("policy", policy, len(rows)),
        **_agent("customer", market.customers, len(rows)),
        **_agent("price", market.offers.rule, len(rows)),
    )
    tally = empty_tally(count, len(checkpoints), len(rows))
    if tapes is None:
        tapes = Tapes(np.empty((count, len(rows), 0)), np.zeros((count, len(rows)), np.int64))
    state = _new_state(world, market)
    status = kernel.run_replications(
        world, state, _new_streams(), tapes, first, block, tally, control
    )
    _check(status, scenario, policy, block)
    tally.left[:] = horizon - tally.pulls.sum(axis=1)
    return tally


def _laws_of(scenario: Scenario) -> tuple[Law, ...]:
    return known_laws(tuple(arm.law for arm in scenario.market.arms))


def _kernel_of(scenario: Scenario, policy: Choice) -> Any:
    market = scenario.market
    agents = (policy.entry, market.customers.entry, market.offers.rule.entry)
    return kernel_for(agents, _laws_of(scenario), market.is_steady and market.offers.is_plain)


def _check(
    status: tuple[int, int, int, int], scenario: Scenario, policy: Choice, block: Block
) -> None:
    code, _, customer, arm = status
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


def _agent(role: str, choice: Choice, arms: int) -> dict[str, NDArray[Any]]:
    """What the kernel needs to know of a policy, a behaviour or a pricing rule."""
    memory = choice.blank_memory(arms)
    return {
        f"{role}_values": np.array(choice.values, np.float64),
        f"{role}_start": np.concatenate([np.zeros(0), *memory]),
        f"{role}_bounds": np.array([0, *accumulate(map(len, memory))], np.int64),
    }


def _new_block(customers: int, scenario: Scenario) -> Block:
    extra = 0 if scenario.market.is_steady else customers
    return Block(
        targets=np.empty(customers, np.int64),
        offers=np.empty(customers),
        arms=np.empty(customers, np.int64),
        rewards=np.empty(customers),
        payments=np.empty(customers),
        seeded=np.empty(customers, np.bool_),
        taken=np.empty(extra),
        regrets=np.empty(extra),
        best=np.empty(extra),
    )


def _new_state(world: World, market: Market) -> State:
    arms, wide = world.rows.shape
    return State(
        book=empty_book(arms, market.first_ties),
        keys=np.zeros(arms + 2, np.uint64),
        pulled=np.zeros(arms, np.int64),
        directed=np.zeros(arms, np.int64),
        offers=np.zeros(arms),
        unreported=np.zeros(1, np.int64),
        policy_memory=np.empty_like(world.policy_start),
        customer_memory=np.empty_like(world.customer_start),
        price_memory=np.empty_like(world.price_start),
        purse=market.offers.new_purse(),
        marks=np.zeros(arms),
        means=np.zeros(arms),
        earned=np.zeros(arms),
        draws=np.zeros(arms),
        row=np.zeros(wide),
    )


def _new_streams() -> Streams:
    policy, customers, offers = streams.Stream(), streams.Stream(), streams.Stream()
    return Streams(
        policy.rng, policy.words, customers.rng, customers.words, offers.rng, offers.words
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
