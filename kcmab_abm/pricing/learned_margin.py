"""A margin found by trial: up after a refusal, down after a deal.

Robbins and Monro's stochastic approximation of a quantile. After each offer that cost something the
margin moves by step * (goal - 1) if it was taken and by step * goal if it was refused, so that it
settles where a share `goal` of the offers is taken. The margin may fall below 0: customers may be
won for less than the gap.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue import pricing
from kcmab_abm.entries import Parameter


def learn(t: int, offer: float, taken: bool, memory: Any, params: Any, rng: Generator) -> None:
    """Move the margin towards the goal, after an offer on an arm that does not lead."""
    if memory.asked[0] > 0.0:
        memory.margin[0] += params.step * (params.goal - 1.0 if taken else params.goal)


@pricing(
    "learned-margin",
    cites="Robbins and Monro 1951",
    learn=learn,
    memory={"margin": 1, "asked": 1},
    goal=Parameter(0.9, "share of the offers that customers should take", gt=0.0, lt=1.0),
    step=Parameter(0.02, "how fast the margin moves", gt=0.0, le=1.0),
)
def price(t: int, gap: float, memory: Any, params: Any, rng: Generator) -> float:
    """Offers the gap and a margin that follows what customers take and refuse."""
    memory.asked[0] = gap
    return max(0.0, gap + memory.margin[0]) if gap > 0.0 else 0.0
