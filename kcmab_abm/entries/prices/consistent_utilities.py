"""Offers from utilities that are consistent with all answers (Dogan et al. 2023).

For customers who know what they want and do not read the record, such as `informed`. Every answer
bounds what they give up for an arm: at most what was accepted, at least what was refused. The rule
offers the middle of what is left and a margin of 2 sqrt(ln n / n), where n counts the customers on
whom it explored. A share min(1, epsilon / t) of the customers t are such customers, and are
offered an amount drawn from [0, `limit`].

The original explores with random offers on all arms at once, and looks for any utilities that are
consistent with the choices. With one offer at a time a choice bounds the need of one arm only, so
consistent utilities are found arm by arm. The policy `principal-epsilon-greedy` explores on the
same customers if it has the same `epsilon`.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import pricing
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.arithmetic.elementary import log
from kcmab_abm.model.search import explores, most_needed, narrow


@pricing(
    "consistent-utilities",
    cites="Dogan, Shen and Aswani 2023, repeated principal-agent games",
    answered=narrow,
    memory={"low": "arms", "high": most_needed, "explored": 1},
    epsilon=Parameter(100.0, "exploration constant: customer t explores with prob. eps/t", gt=0.0),
    limit=Parameter(1.0, "most that a customer may have to be paid", gt=0.0, le=100.0),
)
def price(t: int, arm: int, memory: Any, params: Any, rng: Generator) -> float:
    """Offers the middle of what an arm may need plus a margin, or a random amount to explore."""
    if explores(t, params.epsilon):
        memory.explored[0] += 1.0
        return float(params.limit * rng.random())
    count = max(1.0, float(memory.explored[0]))
    margin = 2.0 * math.sqrt(log(count) / count)
    middle = 0.5 * (float(memory.low[arm]) + float(memory.high[arm]))
    return min(float(params.limit), middle + margin)
