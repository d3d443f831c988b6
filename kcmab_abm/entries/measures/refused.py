"""How many customers did not take the arm that was promoted to them."""

from __future__ import annotations

from kcmab_abm.catalogue.measuring import measure


@measure("refused")
def count(target: int, arm: int, seeded: bool) -> float:
    """The number of customers who took another arm than the target, or none."""
    return 1.0 if arm != target and not seeded else 0.0
