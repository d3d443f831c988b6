"""What an environment needs of its markets, whichever engine runs them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Ended(NamedTuple):
    """The customers whose visits ended in a step, each with the place of her market.

    The other columns are those of an `Event`.
    """

    place: Ints
    t: Ints
    target: Ints
    offer: Floats
    seeded: NDArray[np.bool_]
    arm: Ints
    reward: Floats
    payment: Floats
    regret: Floats


class Observed(NamedTuple):
    """What the controllers of all markets can observe, one row per market.

    `affordable` is the largest offer that can be made to the next customer, and `kind` is hers in a
    mixture with `visible = true`.
    """

    pulls: Ints
    means: Floats
    spent: Floats
    affordable: Floats
    kind: Ints


class Markets(Protocol):
    """Markets of one scenario that have served the same number of customers."""

    def open(self, seed: int, first: int) -> None:
        """Begin replication `first` of the experiment with this seed, and those after it."""

    def step(self, targets: Ints, offers: Floats | None) -> Ended:
        """Serve one more customer in every market; without offers the pricing rule makes them."""

    def observed(self) -> Observed:
        """What the next customer's controller finds, in arrays that no step changes."""
