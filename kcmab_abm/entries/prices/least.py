"""The paper's offer: exactly the loss of the customer."""

from __future__ import annotations

from kcmab_abm.catalogue.decorators import pricing


@pricing("least", cites="Fact 1")
def price(gap: float) -> float:
    """Offers the gap itself, which leaves a greedy customer indifferent."""
    return gap
