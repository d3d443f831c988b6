"""The accounts of a replication: opened before its first customer, added up block by block.

Plain functions that every kernel compiles as its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.state import Block, State, Streams, World
from kcmab_abm.streams import (
    ARMS,
    CHANGES,
    CUSTOMERS,
    OFFERS,
    POLICY,
    REPORTS,
    restart,
    stream_key,
)
from kcmab_abm.trajectory import LATE, Tally

SUMS = 6  # what is added up from block to block of a replication


def open_accounts(world: World, state: State, streams: Streams, replication: Any) -> None:
    """Open the streams of a replication and forget the one before."""
    arms = len(world.kinds)
    root = world.root
    restart(
        streams.policy_words,
        streams.policy,
        stream_key(root, replication, np.uint64(POLICY)),
    )
    restart(
        streams.customers_words,
        streams.customers,
        stream_key(root, replication, np.uint64(CUSTOMERS)),
    )
    restart(
        streams.offers_words,
        streams.offers,
        stream_key(root, replication, np.uint64(OFFERS)),
    )
    for arm in range(arms):
        state.keys[arm] = stream_key(root, replication, np.uint64(ARMS + arm))
        state.book.pulls[arm] = 0
        state.book.totals[arm] = 0.0
        state.book.means[arm] = 0.0
        state.pulled[arm] = 0
        state.directed[arm] = 0
        state.means[arm] = world.means[arm]
        state.earned[arm] = 0.0
    state.keys[arms] = stream_key(root, replication, np.uint64(REPORTS))
    state.keys[arms + 1] = stream_key(root, replication, np.uint64(CHANGES))
    state.book.top[0] = 0
    state.book.top[1] = arms
    state.book.behind[0] = 0.0
    state.unreported[0] = arms
    # Loops, for an assignment of whole arrays takes a second and a half to compile.
    for place in range(len(world.policy_start)):
        state.policy_memory[place] = world.policy_start[place]
    for place in range(len(world.customer_start)):
        state.customer_memory[place] = world.customer_start[place]
    for place in range(len(world.price_start)):
        state.price_memory[place] = world.price_start[place]
    for place in range(2):
        state.purse.spent[place] = 0.0
        state.purse.lately[place] = 0.0
    state.purse.number[0] = 0


def add_block(
    world: World,
    steady: bool,
    start: int,
    count: int,
    block: Block,
    sums: NDArray[np.float64],
    place: int,
    checkpoint: int,
    tally: Tally,
) -> int:
    """Add a block to the sums of a replication; returns the checkpoint that comes next.

    What is counted customer by customer is kept in local names, which are a processor's registers,
    and what only few customers need is counted in a loop of its own.
    """
    best = world.gaps[-1]
    regret, realised, compensation = sums[0], sums[1], sums[2]
    dynamic, taken, earned = sums[3], sums[4], sums[5]
    pulls, payments = tally.pulls[place], tally.payments[place]
    seeded = accepted = paid = late_wrong = 0
    due = world.checkpoints[checkpoint] - start - 1
    for line in range(count):
        arm = block.arms[line]
        if steady:
            regret += world.gaps[arm]
            realised += best - block.rewards[line]
            dynamic = regret
        else:
            dynamic += block.regrets[line]
            taken += block.taken[line]
            earned += block.rewards[line]
            regret = block.best[line] - taken
            realised = block.best[line] - earned
        if arm >= 0:
            pulls[arm] += 1
        payment = block.payments[line]
        if payment > 0.0:
            compensation += payment
            payments[arm] += payment
            paid += 1
        if block.seeded[line]:
            seeded += 1
        elif arm == block.targets[line]:
            accepted += 1
        if line == due:
            tally.curves[place, checkpoint, 0] = regret
            tally.curves[place, checkpoint, 1] = realised
            tally.curves[place, checkpoint, 2] = compensation
            tally.curves[place, checkpoint, 3] = dynamic
            checkpoint += 1
            if checkpoint < len(world.checkpoints):
                due = world.checkpoints[checkpoint] - start - 1
    for line in range(max(0, world.horizon - LATE - start), count):
        arm = block.arms[line]
        gap = world.gaps[arm] if steady else block.regrets[line]
        if arm < 0 or gap > 0.0:
            late_wrong += 1
    sums[0], sums[1], sums[2] = regret, realised, compensation
    sums[3], sums[4], sums[5] = dynamic, taken, earned
    tally.seeded[place] += seeded
    tally.targeted[place] += count - seeded
    tally.accepted[place] += accepted
    tally.paid[place] += paid
    tally.late_wrong[place] += late_wrong
    return checkpoint
