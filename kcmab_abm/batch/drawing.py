"""Draw the means of random markets, and the numbers of their arms, for many replications.

This file is a template like `kernel.py`: `compile.py` executes it once, with `move` set to a
function that writes the numbers of an arm with a given mean, for all laws of the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.options import compiled_entry
from kcmab_abm.batch.state import Drawn
from kcmab_abm.model.priors import FIXED, Priors, draw_means
from kcmab_abm.model.streams import MEANS, stream_key, uniform_at

if TYPE_CHECKING:  # Supplied
    from collections.abc import Callable

    move: Callable[..., None]


@compiled_entry
def draw_markets(
    priors: Priors,
    root: Any,
    first: int,
    kinds: NDArray[np.int64],
    templates: NDArray[np.float64],
    uniforms: NDArray[np.float64],
    drawn: Drawn,
) -> None:
    """Draw replications `first`, `first + 1`, ..., as many as `drawn` has room for.

    `templates` are the numbers of all arms in which only the mean is to change.
    """
    for place in range(len(drawn.means)):
        key = stream_key(root, np.uint64(first + place), np.uint64(MEANS))
        for arm in range(len(kinds)):
            uniforms[arm] = uniform_at(key, np.uint64(arm))
        draw_means(priors, uniforms, drawn.means[place])
        for arm in range(len(kinds)):
            row = drawn.rows[place, arm]
            for column in range(len(row)):
                row[column] = templates[arm, column]
            if priors.kinds[arm] != FIXED:
                move(kinds[arm], drawn.means[place, arm], templates[arm], row)
