"""What a scenario's own measures count, block by block.

This file is a template like `kernel.py`: `compile.py` executes it for every set of measures, with
`count` set to a function that writes what one customer adds to each of them. The driver calls
`count_block` by its address, once for every block, and adds up what it wrote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kcmab_abm.batch.options import compiled_inside
from kcmab_abm.batch.state import DONE, REFUSED, Block, Counting, World
from kcmab_abm.model.trajectory import LARGEST_COUNT

if TYPE_CHECKING:  # Supplied
    from collections.abc import Callable

    count: Callable[..., None]


@compiled_inside
def count_block(
    world: World, block: Block, counting: Counting, start: int, customers: int
) -> tuple[int, int]:
    """Write what each customer of a block adds to each measure.

    Returns a status, and the number of the customer for whom a count is not a number that sums may
    contain.
    """
    for line in range(customers):
        arm = block.arms[line]
        kind = block.kinds[line] if len(block.kinds) > 0 else 0
        count(
            start + line + 1,
            world.announced,
            block.targets[line],
            block.offers[line],
            arm,
            block.payments[line],
            block.rewards[line],
            world.gaps[arm] if world.steady else block.regrets[line],
            0.0,  # nobody waits where the batch engine can run
            -1 if block.seeded[line] else counting.kinds[kind],
            block.values[line] if len(block.values) > 0 else 0.0,
            block.seeded[line],
            counting.values,
            counting.counts[line],
        )
        for column in range(counting.counts.shape[1]):
            if not -LARGEST_COUNT <= counting.counts[line, column] <= LARGEST_COUNT:
                return REFUSED, start + line + 1
    return DONE, 0
