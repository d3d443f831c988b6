"""The loop over replications that all kernels share, compiled once.

This file is a template too: `compile.py` executes it, and its machine code is kept on disk. The
kernel's `advance` is an argument and called by its address, so it is compiled separately. Python
calls `run_job`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kcmab_abm.batch.accounts import add_block, add_counts, open_accounts, open_market
from kcmab_abm.batch.flags import TROUBLE, read_flags
from kcmab_abm.batch.options import compiled_entry
from kcmab_abm.batch.state import CROWDED, DONE, REFUSED, STOPPED, SUSPECT, Counting, Job, Streams

Advance = Callable[..., tuple[int, int]]
CountBlock = Callable[..., tuple[int, int]]


@compiled_entry
def run_job(
    advance: Advance,
    count_block: CountBlock | None,
    counting: Counting | None,
    streams: Streams,
    job: Job,
    served: int,
    until: int,
) -> tuple[int, int, int]:
    """Continue a job from `served` customers to at least `until`, block by block.

    A scenario without measures of its own has None for `count_block` and `counting`, and the
    compiler removes what is for them.

    Returns a status, and the replication and customer that were reached.
    """
    world, block = job.world, job.block
    horizon = world.horizon
    checkpoint: Any = np.int64(0)  # a plain 0 would be a type of its own
    while world.checkpoints[checkpoint] <= served % horizon:
        checkpoint += 1
    while served < until:
        place, start = served // horizon, served % horizon
        if job.control[0]:
            return STOPPED, job.first + place, start
        if start == 0:
            if len(job.drawn.means) > 0:
                open_market(job, place)
            open_accounts(job, streams, np.uint64(job.first + place))
            checkpoint = np.int64(0)
        count = min(len(block.arms), horizon - start)
        read_flags()  # clears what this thread set before
        status, customer = advance(world, job.state, streams, start, count, block)
        if status in (REFUSED, CROWDED):
            return status, job.first + place, customer
        if count_block is not None:
            status, customer = count_block(world, block, counting, start, count)
            if status == REFUSED:
                return REFUSED, job.first + place, customer
        if read_flags() & TROUBLE:
            status = SUSPECT
        if counting is not None:
            add_counts(job, counting, place, start, count, checkpoint)
        # A constant argument, so that the compiler removes the test from the loop.
        if world.steady:
            checkpoint = add_block(job, True, place, start, count, checkpoint)
        else:
            checkpoint = add_block(job, False, place, start, count, checkpoint)
        served += count
        job.control[1] += count
        if status != DONE:
            return status, job.first + place, start + count
    return DONE, 0, 0
