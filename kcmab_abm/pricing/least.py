"""The paper's offer: exactly what the customer gives up."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue import pricing


@pricing("least", cites="Fact 1")
def price(t: int, gap: float, memory: Any, params: Any, rng: Generator) -> float:
    """Offers the gap itself, which leaves a greedy customer indifferent."""
    return gap
