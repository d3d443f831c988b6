"""The gap plus a share of it; a negative share offers less than the gap."""

from __future__ import annotations

from typing import Any

from kcmab_abm.catalogue.decorators import pricing
from kcmab_abm.catalogue.entries import Parameter


@pricing(
    "proportional-margin",
    share=Parameter(0.1, "share of the gap added to it", ge=-1.0, le=100.0),
)
def price(gap: float, params: Any) -> float:
    """Offers (1 + share) times the gap."""
    if gap < 0.0:  # a fee, which a positive share lowers
        return float((1.0 - params.share) * gap) if params.share < 1.0 else 0.0
    return float((1.0 + params.share) * gap)
