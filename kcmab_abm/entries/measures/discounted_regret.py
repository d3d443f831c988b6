"""Regret of a controller who prefers early rewards: customer t counts gamma^(t - 1)."""

from __future__ import annotations

from typing import Any

from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.catalogue.measuring import measure
from kcmab_abm.model.arithmetic.elementary import power


@measure(
    "discounted-regret",
    cites="Frazier, Kempe, Kleinberg and Kleinberg 2014",
    gamma=Parameter(0.999, "discount per customer", ge=0.0, le=1.0),
)
def count(t: int, regret: float, params: Any) -> float:
    """The regret, with customer t discounted by gamma^(t - 1)."""
    return power(params.gamma, t - 1) * regret
