"""The gap and something on top, for customers who want to be won over."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue import pricing
from kcmab_abm.entries import Parameter


@pricing("fixed-margin", margin=Parameter(0.05, "added to every gap above 0", ge=0.0, le=10.0))
def price(t: int, gap: float, memory: Any, params: Any, rng: Generator) -> float:
    """Offers gap + margin; nothing for the arm that leads anyway."""
    return gap + params.margin if gap > 0.0 else 0.0
