"""Replications, one after another: what all kernels have in common, compiled once.

This file is a template too: `compile.py` loads a copy of it from the folder in which its machine
code is kept. `advance`, the kernel's part, comes as an argument and is called by its address, so
that it can be compiled by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.accounts import add_block, open_accounts
from kcmab_abm.batch.options import compiled, compiled_into
from kcmab_abm.batch.state import DONE, STOPPED, Block, State, Streams, Tapes, World
from kcmab_abm.trajectory import Tally

Advance = Callable[..., tuple[int, int, int]]


@compiled
def begin(world: World, state: State, streams: Streams, replication: Any) -> None:
    """Open the streams of a replication and forget the one before."""
    open_accounts(world, state, streams, replication)


@compiled_into
def run_block(
    advance: Advance,
    world: World,
    state: State,
    streams: Streams,
    tapes: NDArray[np.float64],
    known: NDArray[np.int64],
    start: int,
    count: int,
    block: Block,
    sums: NDArray[np.float64],
    place: int,
    checkpoint: int,
    tally: Tally,
) -> tuple[int, int, int, int]:
    """Let `count` customers through and add them up.

    Returns how that went, for which customer, with which arm, and the checkpoint that comes next.
    """
    status, customer, value = advance(world, state, streams, tapes, known, start, count, block)
    if status == DONE:
        # Each of the two gets loops of its own, without a question for every customer.
        if world.steady:
            checkpoint = add_block(world, True, start, count, block, sums, place, checkpoint, tally)
        else:
            checkpoint = add_block(
                world, False, start, count, block, sums, place, checkpoint, tally
            )
    return status, customer, value, checkpoint


@compiled
def run_replications(
    advance: Advance,
    world: World,
    state: State,
    streams: Streams,
    tapes: Tapes,
    first: int,
    block: Block,
    sums: NDArray[np.float64],
    tally: Tally,
    control: NDArray[np.int64],
) -> tuple[int, int, int, int]:
    """Run replications `first`, `first + 1`, ..., as many as the tally has room for.

    `sums` is room for those of the replication under way. `control[0]` is set from outside to stop;
    `control[1]` counts the customers let through.
    """
    for place in range(len(tally.seeded)):
        begin(world, state, streams, np.uint64(first + place))
        for each in range(len(sums)):
            sums[each] = 0.0
        checkpoint: Any = np.int64(0)  # a plain 0 would be a type of its own
        for start in range(0, world.horizon, len(block.arms)):
            if control[0]:
                return STOPPED, first + place, start, 0
            count = min(len(block.arms), world.horizon - start)
            status, customer, value, checkpoint = run_block(
                advance,
                world,
                state,
                streams,
                tapes.values[place],
                tapes.known[place],
                start,
                count,
                block,
                sums,
                place,
                checkpoint,
                tally,
            )
            if status != DONE:
                return status, first + place, customer, value
            control[1] += count
    return DONE, 0, 0, 0
