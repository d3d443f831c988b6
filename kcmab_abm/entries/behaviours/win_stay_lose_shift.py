"""Customers who stay after a win and shift after a loss.

The oldest model of choices in laboratories: the arm of the last report is worth 1 if that report
was at least `aspiration`, and the others 0; after a loss it is the other way round. So an offer
below 1 changes nothing but ties.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter


def hear(arm: int, reward: float, memory: Any, params: Any) -> None:
    """Remember the last arm, and whether it won."""
    memory.last[0] = arm
    memory.last[1] = 1.0 if reward >= params.aspiration else 0.0


@behaviour(
    "win-stay-lose-shift",
    cites="Robbins 1952; Worthy and Maddox 2014",
    hear=hear,
    memory={"last": 2},  # the arm, and 1 if it won
    aspiration=Parameter(0.5, "least reward that counts as a win", ge=0.0, le=1.0),
)
def value(values: NDArray[np.float64], memory: Any) -> None:
    """Takes the last arm again after a win, and another one after a loss."""
    won = memory.last[1]
    for arm in range(len(values)):
        values[arm] = won if arm == int(memory.last[0]) else 1.0 - won
