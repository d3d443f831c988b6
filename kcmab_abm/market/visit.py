"""One customer's visit to the market."""

from __future__ import annotations

import numpy as np
import simpy
from numpy.typing import NDArray


class Visit:
    """One customer's visit, filled in as it goes along."""

    target: int = -1
    offer: float = 0.0
    seeded: bool = False
    beside: tuple[tuple[int, float], ...] = ()  # other arms with an offer on them
    arm: int = -1
    kind: float = 0.0  # which kind of customer she is, where there are several
    reward: float = 0.0
    payment: float = 0.0
    told: float = 0.0  # what she says the reward was
    patience: float = np.inf  # with which she would stand in line
    wait: float = 0.0
    agreed: bool = False  # whether she chose what was asked of her, served or not
    means: NDArray[np.float64] | None = None  # what the arms promised when she came, if they change

    def __init__(self, number: int, clock: float, posted: simpy.Event) -> None:
        self.number = number
        self.clock = clock
        self.posted = posted
