"""Customers who learn by reinforcement.

The propensity of an arm starts at `initial` and moves by a share `rate` of the surprise with every
report on it (the delta rule). Erev and Roth (1998) find that such learners describe subjects in
laboratory games better than equilibrium does; with the decision `logit` this is the model that is
usually fitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter


def first(arms: int, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """The propensities before the first report."""
    return np.full(arms, given["initial"], np.float64)


def hear(arm: int, reward: float, memory: Any, params: Any) -> None:
    """Move the propensity of an arm towards what was reported of it."""
    memory.propensity[arm] += params.rate * (reward - memory.propensity[arm])


@behaviour(
    "reinforcement",
    cites="Bush and Mosteller 1955; Erev and Roth 1998",
    hear=hear,
    memory={"propensity": first},
    rate=Parameter(0.1, "share of the surprise that is learned", ge=0.0, le=1.0),
    initial=Parameter(0.5, "propensity before the first report", ge=0.0, le=1.0),
)
def value(values: NDArray[np.float64], memory: Any) -> None:
    """Takes the best deal by propensities that move towards each report on their arm."""
    for arm in range(len(values)):
        values[arm] = memory.propensity[arm]
