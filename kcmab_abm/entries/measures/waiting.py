"""The time that customers spent in queues; 0 unless arms have a capacity."""

from __future__ import annotations

from kcmab_abm.catalogue.measuring import measure


@measure("waiting")
def count(wait: float) -> float:
    """The time that all customers spent in queues."""
    return wait
