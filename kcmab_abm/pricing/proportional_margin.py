"""A share of the gap on top of it; a negative share offers less than the gap."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue import pricing
from kcmab_abm.entries import Parameter


@pricing("proportional-margin", share=Parameter(0.1, "of the gap, added to it", ge=-1.0, le=100.0))
def price(t: int, gap: float, memory: Any, params: Any, rng: Generator) -> float:
    """Offers (1 + share) times the gap."""
    return float((1.0 + params.share) * gap)
