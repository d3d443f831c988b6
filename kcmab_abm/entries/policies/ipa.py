"""First what every arm needs, then the best arm net of it (Scheid et al. 2024, IPA).

For customers who know what they want: the controller learns from refusals what each arm needs, and
then looks for the arm with the highest mean less that. At first every arm is promoted ceil(log2 T)
times, in turn, which is as often as the pricing rule `bisection` needs to search; a controller who
need not search can do with 1 (`trials`). From then on the policy promotes
argmax_i m_i - c_i + sqrt(2 ln t / N_i), where c_i is the last offer that was accepted for arm i, at
first 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book, highest
from kcmab_abm.model.search import trials


def dear(arms: int, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """The cost of each arm before any offer has been accepted."""
    return np.ones(arms)


def answered(target: int, offer: float, arm: int, memory: Any) -> None:
    """Count the trials of an arm, and remember what it cost."""
    memory.tried[target] += 1.0
    if arm == target:
        memory.cost[target] = offer


@policy(
    "ipa",
    cites="Scheid et al. 2024, incentivized learning in principal-agent bandit games",
    answered=answered,
    memory={"tried": "arms", "cost": dear, "index": "arms"},
    trials=Parameter(0, "offers for each arm at the beginning; 0: ceil(log2 T)", ge=0),
)
def choose(t: int, horizon: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Tries all arms in turn, then promotes the highest confidence bound net of its cost."""
    least = 0
    for arm in range(len(book.means)):
        if memory.tried[arm] < memory.tried[least]:
            least = arm
    if memory.tried[least] < (params.trials if params.trials > 0 else trials(horizon)):
        return least
    for arm in range(len(book.means)):
        width = math.sqrt(2.0 * math.log(t) / book.pulls[arm])
        memory.index[arm] = book.means[arm] - memory.cost[arm] + width
    return highest(memory.index, book, rng)
