"""What customers gain, by their own lights.

The value of the arm that a customer takes is the one that she believed in when she chose: the mean
in the record for `greedy` customers, with her taste for `tastes`, and so on. A customer who leaves,
or who is directed to an arm without a report, adds only what she is paid.
"""

from __future__ import annotations

from kcmab_abm.catalogue.measuring import measure


@measure("customer-surplus")
def count(value: float, payment: float) -> float:
    """What the arm taken is worth to each customer, plus what she is paid."""
    return value + payment
