"""The accounts of a replication: reset before its first customer, added up block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcmab_abm.batch.state import Counting, Job, Streams
from kcmab_abm.model.book import clear
from kcmab_abm.model.streams import (
    ARMS,
    ARRIVALS,
    CHANGES,
    CUSTOMERS,
    DISCLOSURE,
    DURATIONS,
    OFFERS,
    POLICY,
    REPORTS,
    restart,
    stream_key,
)
from kcmab_abm.model.trajectory import CURVES, LATE

OWN = len(CURVES)  # the column of the first measure of the scenario's own
SUMS = 6  # the sums carried from block to block


def open_market(job: Job, place: int) -> None:
    """Copy the arms drawn for a replication, counted from the job's first, into the world."""
    drawn, world = job.drawn, job.world
    best = -1.0
    for arm in range(len(world.means)):
        world.means[arm] = drawn.means[place, arm]
        best = max(best, world.means[arm])
        for column in range(world.rows.shape[1]):
            world.rows[arm, column] = drawn.rows[place, arm, column]
    for arm in range(len(world.means)):
        world.gaps[arm] = best - world.means[arm]
    world.gaps[-1] = best


def open_accounts(job: Job, streams: Streams, replication: Any) -> None:
    """Open the streams of a replication and reset the state."""
    world, state = job.world, job.state
    arms, root = len(world.kinds), world.root
    policy = stream_key(root, replication, np.uint64(POLICY))
    customers = stream_key(root, replication, np.uint64(CUSTOMERS))
    offers = stream_key(root, replication, np.uint64(OFFERS))
    restart(streams.policy_words, streams.policy, policy)
    restart(streams.customers_words, streams.customers, customers)
    restart(streams.offers_words, streams.offers, offers)
    for arm in range(arms):
        state.keys[arm] = stream_key(root, replication, np.uint64(ARMS + arm))
        state.pulled[arm] = 0
        state.directed[arm] = 0
        state.means[arm] = world.means[arm]
        state.earned[arm] = 0.0
    state.keys[arms] = stream_key(root, replication, np.uint64(REPORTS))
    state.keys[arms + 1] = stream_key(root, replication, np.uint64(CHANGES))
    state.keys[arms + 2] = stream_key(root, replication, np.uint64(ARRIVALS))
    state.keys[arms + 3] = stream_key(root, replication, np.uint64(DURATIONS))
    clear(state.book)
    state.unreported[0] = arms
    state.search[0] = state.search[1] = 0
    # Loops, because assigning whole arrays takes a second and a half to compile.
    for place in range(len(world.policy_start)):
        state.policy_memory[place] = world.policy_start[place]
    for place in range(len(world.customer_start)):
        state.customer_memory[place] = world.customer_start[place]
    for place in range(len(world.price_start)):
        state.price_memory[place] = world.price_start[place]
    if world.selective:
        disclosure = stream_key(root, replication, np.uint64(DISCLOSURE))
        restart(streams.disclosure_words, streams.disclosure, disclosure)
        clear(state.shown)
        for place in range(len(world.disclosure_start)):
            state.disclosure_memory[place] = world.disclosure_start[place]
    for place in range(2):
        state.purse.spent[place] = 0.0
        state.purse.lately[place] = 0.0
    state.purse.number[0] = 0
    for place in range(len(job.sums)):
        job.sums[place] = 0.0


def add_block(job: Job, steady: bool, place: int, start: int, count: int, checkpoint: int) -> int:
    """Add a block to the sums of a replication; returns the next checkpoint.

    Sums over all customers are kept in local variables, so that they stay in registers; what only
    the last customers need has a loop of its own.
    """
    world, block, sums, tally = job.world, job.block, job.sums, job.tally
    best = world.gaps[-1]
    regret, realised, compensation = sums[0], sums[1], sums[2]
    dynamic, taken, earned = sums[3], sums[4], sums[5]
    pulls, payments = tally.pulls[place], tally.payments[place]
    seeded = accepted = paid = 0
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
        if payment != 0.0:
            compensation += payment
            payments[arm] += payment
            if payment > 0.0:
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
    late = min(LATE, (world.horizon + 1) // 2)  # the same as `late_customers`
    for line in range(max(0, world.horizon - late - start), count):
        arm = block.arms[line]
        gap = world.gaps[arm] if steady else block.regrets[line]
        if gap > 0.0 and arm >= 0 and not block.seeded[line]:
            tally.late_wrong[place, arm] += 1
    sums[0], sums[1], sums[2] = regret, realised, compensation
    sums[3], sums[4], sums[5] = dynamic, taken, earned
    tally.seeded[place] += seeded
    tally.targeted[place] += count - seeded
    tally.accepted[place] += accepted
    tally.paid[place] += paid
    return checkpoint


def add_counts(
    job: Job, counting: Counting, place: int, start: int, count: int, checkpoint: int
) -> None:
    """Add what was counted in a block, which begins with this checkpoint due next."""
    counts, sums, points = counting.counts, counting.sums, job.world.checkpoints
    for column in range(len(sums)):
        total = 0.0 if start == 0 else sums[column]
        due = checkpoint
        for line in range(count):
            total += counts[line, column]
            if due < len(points) and start + line + 1 == points[due]:
                job.tally.curves[place, due, OWN + column] = total
                due += 1
        sums[column] = total
