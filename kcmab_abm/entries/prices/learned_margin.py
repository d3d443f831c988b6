"""A margin learned from answers: up after a refusal, down after an acceptance.

The stochastic approximation of a quantile by Robbins and Monro. After each offer for an arm that
does not lead, the margin moves by step * (goal - 1) if the offer was accepted and by step * goal if
it was refused, so it settles where a share `goal` of the offers is accepted. The margin may become
negative: customers may accept less than the gap.
"""

from __future__ import annotations

from typing import Any

from kcmab_abm.catalogue.decorators import pricing
from kcmab_abm.catalogue.entries import Parameter


def answered(taken: bool, memory: Any, params: Any) -> None:
    """Move the margin towards the goal, after an offer for an arm that does not lead."""
    if memory.asked[0] != 0.0:
        memory.margin[0] += params.step * (params.goal - 1.0 if taken else params.goal)


@pricing(
    "learned-margin",
    cites="Robbins and Monro 1951",
    answered=answered,
    memory={"margin": 1, "asked": 1},
    goal=Parameter(0.9, "target share of accepted offers", gt=0.0, lt=1.0),
    step=Parameter(0.02, "step size of the margin", gt=0.0, le=1.0),
)
def price(gap: float, memory: Any) -> float:
    """Offers the gap plus a margin that adapts to acceptances and refusals."""
    memory.asked[0] = gap
    if gap < 0.0:  # a fee
        return gap + memory.margin[0] if gap + memory.margin[0] < 0.0 else 0.0
    return max(0.0, gap + memory.margin[0]) if gap > 0.0 else 0.0
