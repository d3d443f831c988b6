"""Advance many markets side by side, one customer each; compiled once, like `driver.py`.

This file is a template too: `compile.py` executes it with the names under `Supplied` set. Python
calls `keep_markets` once and then `open_markets` and `step_markets`, with the address at which all
that stays the same is kept. The kernel's `advance` is called by its address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.accounts import open_accounts
from kcmab_abm.batch.flags import TROUBLE, read_flags
from kcmab_abm.batch.holding import hold
from kcmab_abm.batch.options import compiled_entry, compiled_inside
from kcmab_abm.batch.state import DONE, STOPPED, SUSPECT, Job, Markets, Streams
from kcmab_abm.model.budget import most_affordable

if TYPE_CHECKING:  # Supplied
    from collections.abc import Callable

    job_of: Callable[[Job, Markets, int], Job]
    load_streams: Callable[[Streams, Markets, int], None]
    store_streams: Callable[[Streams, Markets, int], None]
    held: Callable[[int], tuple[Streams, Job, Markets]]
    held_advance: Callable[[int], Callable[..., tuple[int, int]]]
    place_of_advance: int  # after the others; `room` is the number of bytes of all


@compiled_inside
def keep_all(advance: Any, streams: Streams, job: Job, markets: Markets, address: int) -> None:
    """Keep all that stays the same from step to step."""
    hold(address, (streams, job, markets))
    hold(address + place_of_advance, advance)


@compiled_inside
def open_each(address: int, replications: NDArray[np.uint64]) -> None:
    """Open the accounts of all markets, each with a replication of its own."""
    streams, job, markets = held(address)
    for place in range(len(replications)):
        own = job_of(job, markets, place)
        open_accounts(own, streams, replications[place])
        store_streams(streams, markets, place)
        markets.affordable[place] = most_affordable(own.state.purse, 1)


@compiled_inside
def step_each(
    address: int, start: int, targets: NDArray[np.int64], offers: NDArray[np.float64]
) -> None:
    """Simulate customer `start + 1` of every market, with the targets and offers given.

    The policy finds the target in its memory; so does the pricing rule, and the offer after it. No
    offers are given to a rule that makes them itself.
    """
    streams, job, markets = held(address)
    advance = held_advance(address + place_of_advance)
    read_flags()  # clears what this thread set before
    for place in range(len(targets)):
        own = job_of(job, markets, place)
        own.state.policy_memory[0] = targets[place]
        if len(offers) > 0:
            own.state.price_memory[0] = targets[place]
            own.state.price_memory[1] = offers[place]
        markets.status[place] = STOPPED
        load_streams(streams, markets, place)
        status, _ = advance(own.world, own.state, streams, start, 1, own.block)
        if status == DONE and read_flags() & TROUBLE:
            status = SUSPECT
        markets.status[place] = status
        store_streams(streams, markets, place)
        markets.affordable[place] = most_affordable(own.state.purse, start + 2)


@compiled_entry
def keep_markets(advance: Any, streams: Streams, job: Job, markets: Markets, address: int) -> None:
    """`keep_all`, for Python."""
    keep_all(advance, streams, job, markets, address)


@compiled_entry
def open_markets(address: int, replications: NDArray[np.uint64]) -> None:
    """`open_each`, for Python."""
    open_each(address, replications)


@compiled_entry
def step_markets(
    address: int, start: int, targets: NDArray[np.int64], offers: NDArray[np.float64]
) -> None:
    """`step_each`, for Python."""
    step_each(address, start, targets, offers)
