"""What the controller keeps if she receives the rewards, as an intermediary who resells them."""

from __future__ import annotations

from kcmab_abm.catalogue.measuring import measure


@measure("profit")
def count(reward: float, payment: float) -> float:
    """The rewards less the payments, seeding costs left out."""
    return reward - payment
