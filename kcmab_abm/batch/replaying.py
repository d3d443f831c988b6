"""The chances of the choices in a run, for customers of one behaviour.

This file is a template like `kernel.py`: `compile.py` executes it for every behaviour, with the
names under `Supplied` set. `chances.py` calls `fill_chances`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.options import compiled_entry, compiled_inside
from kcmab_abm.model.book import clear, find_top, first_highest, record
from kcmab_abm.model.offers import Board
from kcmab_abm.model.seen import Seen

if TYPE_CHECKING:  # Supplied
    from collections.abc import Callable

    from kcmab_abm.batch.chances import Room

    chances: Callable[..., None]
    hear: Callable[..., None]
    customer_params: Callable[..., Any]
    customer_memory: Callable[..., Any]


@compiled_inside
def replay(
    seen: Seen,
    room: Room,
    rng: np.random.Generator,
    own: NDArray[np.float64],
    likeliest: NDArray[np.float64],
) -> None:
    """Fill in the chance of every choice, and its share of the arms with the highest chance."""
    book = room.book
    selective = len(seen.means) > 0
    view = room.shown if selective else book
    params = customer_params(room.values)
    for place in range(len(room.start)):
        room.memory[place] = room.start[place]
    memory = customer_memory(room.memory, room.bounds)
    clear(book)
    heard = 0
    for choice in range(len(seen.customers)):
        while heard < seen.heard[choice]:
            arm = seen.reported[heard]
            told = seen.told[heard]
            record(book, arm, told)
            hear(seen.reporters[heard], arm, told, book, memory, params, rng)
            heard += 1
        if selective:
            for arm in range(len(view.means)):
                view.pulls[arm] = seen.pulls[choice, arm]
                view.totals[arm] = seen.totals[choice, arm]
                view.means[arm] = seen.means[choice, arm]
            find_top(view)
        board = Board(seen.targets[choice], seen.offers[choice], seen.rivals)
        chances(seen.customers[choice], view, board, room.chances, memory, params, rng)
        taken = seen.taken[choice]
        if taken < 0:
            left = 1.0
            for arm in range(len(room.chances)):
                left -= room.chances[arm]
            own[choice] = left if left > 1e-9 else 0.0
            likeliest[choice] = 0.0
        else:
            first, tied = first_highest(room.chances)
            own[choice] = room.chances[taken]
            likeliest[choice] = 1.0 / tied if own[choice] == room.chances[first] else 0.0


@compiled_entry
def fill_chances(
    seen: Seen,
    room: Room,
    rng: np.random.Generator,
    own: NDArray[np.float64],
    likeliest: NDArray[np.float64],
) -> None:
    """Call `replay`; arrays that compiled code makes without reference counts stay inside."""
    replay(seen, room, rng, own, likeliest)
