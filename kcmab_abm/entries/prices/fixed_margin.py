"""The gap plus a fixed margin, for customers who do not accept the bare gap."""

from __future__ import annotations

from typing import Any

from kcmab_abm.catalogue.decorators import pricing
from kcmab_abm.catalogue.entries import Parameter


@pricing("fixed-margin", margin=Parameter(0.05, "added to every gap above 0", ge=0.0, le=10.0))
def price(gap: float, params: Any) -> float:
    """Offers gap + margin, and nothing for an arm that already leads."""
    if gap < 0.0:  # a fee
        return gap + params.margin if gap + params.margin < 0.0 else 0.0
    return gap + params.margin if gap > 0.0 else 0.0
