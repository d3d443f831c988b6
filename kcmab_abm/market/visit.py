"""One customer's visit to the market."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import simpy
from numpy.typing import NDArray

from kcmab_abm.model.customer import STRANGER, Customer


class Visit:
    """One customer's visit, filled in as it proceeds."""

    target: int = -1
    offer: float = 0.0
    seeded: bool = False
    beside: tuple[tuple[int, float], ...] = ()  # other arms with an offer on them
    arm: int = -1
    kind: float = 0.0  # her place among the kinds of a mixture
    values: Sequence[float] = ()  # of the arms to her, if a measure asks
    known: Customer = STRANGER  # what the controller knows about her
    is_met: bool = False  # whether it has been shown that
    reward: float = 0.0
    payment: float = 0.0
    told: float = 0.0  # the reward that she reports
    patience: float = np.inf  # how long she would wait
    wait: float = 0.0
    person: int | None = None  # the arm that somebody chose in her place
    chosen: int = -1  # the arm that she chose first, whether or not it served her
    means: NDArray[np.float64] | None = None  # the true means when she came, if they change

    def __init__(self, number: int, clock: float, posted: simpy.Event) -> None:
        self.number = number
        self.clock = clock
        self.posted = posted
