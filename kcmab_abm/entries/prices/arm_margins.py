"""A margin for every arm, learned from answers: up after a refusal, down after an acceptance.

Like `learned-margin`, for customers who do not value arms as the book does: what they need differs
from the gap by another amount for each arm, so each arm has a margin of its own. The leader is
priced like the others, since customers may not want it. No margin falls below the point at which
the offer is 0, or, if the gap is below 0 because fees are allowed, the gap.
"""

from __future__ import annotations

from typing import Any

from kcmab_abm.catalogue.decorators import pricing
from kcmab_abm.catalogue.entries import Parameter


def answered(arm: int, taken: bool, memory: Any, params: Any) -> None:
    """Move the arm's margin towards the goal."""
    move = params.step * (params.goal - 1.0 if taken else params.goal)
    margin = memory.margin[arm] + move
    lowest = -memory.asked[0] if memory.asked[0] > 0.0 else 0.0
    memory.margin[arm] = margin if margin > lowest else lowest


@pricing(
    "arm-margins",
    cites="Robbins and Monro 1951",
    answered=answered,
    memory={"margin": "arms", "asked": 1},
    goal=Parameter(0.9, "target share of accepted offers", gt=0.0, lt=1.0),
    step=Parameter(0.02, "step size of the margins", gt=0.0, le=1.0),
)
def price(gap: float, arm: int, memory: Any) -> float:
    """Offers the gap plus a margin for the arm, which adapts to acceptances and refusals."""
    memory.asked[0] = gap
    lowest = gap if gap < 0.0 else 0.0
    return gap + float(memory.margin[arm]) if gap + memory.margin[arm] > lowest else lowest
