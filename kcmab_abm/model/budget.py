"""The controller's purse: limits on payments, and exact sums of what has been paid.

Plain floating-point sums of many payments carry rounding errors, by which a budget could be
exceeded. So the purse keeps each sum as two floats, the sum and its rounding error (Dekker 1971,
Knuth's TwoSum), which together are exact; in the rare case where the error itself must be rounded,
it is rounded up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.model.arithmetic.exact import two_sum
from kcmab_abm.model.book import sealed

Sum = NDArray[np.float64]  # the rounded sum, and its error of at most half a unit in the last place


class Purse(NamedTuple):
    """The limits on payments, and the payments so far.

    `cap` limits the payment to one customer, `budget` all payments, and `period_budget` those of
    each period of `period` customers; unused parts of it expire. If the rest of the money does not
    cover a price, it is offered if `pays_rest` is set, else nothing is. `spent` and `lately`, the
    payments in total and in this period, are kept only if `counted` is set: if there is a limit on
    them, or an agent who asks for the purse.
    """

    counted: bool
    cap: float
    budget: float
    period: int
    period_budget: float
    pays_rest: bool
    spent: Sum
    lately: Sum
    number: NDArray[np.int64]  # of the period to which `lately` belongs


def new_purse(
    cap: float,
    budget: float,
    period: int,
    period_budget: float,
    pays_rest: bool,
    is_watched: bool = False,
) -> Purse:
    """A purse from which nothing has been paid."""
    counted = is_watched or budget < np.inf or period_budget < np.inf
    spent, lately = np.zeros(2), np.zeros(2)
    number = np.zeros(1, np.int64)
    return Purse(counted, cap, budget, period, period_budget, pays_rest, spent, lately, number)


def sealed_purse(purse: Purse) -> Purse:
    """A read-only view of a purse."""
    spent, lately, number = (sealed(each) for each in (purse.spent, purse.lately, purse.number))
    return purse._replace(spent=spent, lately=lately, number=number)


def add_exactly(sums: Sum, amount: float) -> None:
    """Add an amount to a sum exactly; if it must be rounded, the sum is rounded up."""
    total, error = two_sum(float(sums[0]), amount)
    low, lost = two_sum(float(sums[1]), error)
    if lost > 0.0:
        low = float(np.nextafter(low, np.inf))
    high = total + low
    sums[0] = high
    sums[1] = low - (high - total)


def fits(sums: Sum, amount: float, limit: float) -> bool:
    """Return True if the sum plus the amount is, exactly, within the limit."""
    total, error = two_sum(float(sums[0]), amount)
    low, lost = two_sum(float(sums[1]), error)
    if lost > 0.0:
        low = float(np.nextafter(low, np.inf))
    high = total + low
    return high < limit or (high == limit and low - (high - total) <= 0.0)


def rest(sums: Sum, limit: float) -> float:
    """The largest amount that can still be added to the sum, up to a rounding error."""
    if limit == np.inf:  # whose arithmetic the processor's flags would report
        return limit
    left = (limit - float(sums[0])) - float(sums[1])
    while left > 0.0 and not fits(sums, left, limit):
        left = float(np.nextafter(left, 0.0))
    return max(left, 0.0)


def affordable(purse: Purse, customer: int, wanted: float) -> float:
    """The part of the amount wanted that can be offered to this customer."""
    amount = min(wanted, purse.cap)
    if not purse.counted:
        return amount
    if purse.period > 0:
        number = (customer - 1) // purse.period
        if number != purse.number[0]:
            purse.number[0] = number
            purse.lately[0] = 0.0
            purse.lately[1] = 0.0
    if fits(purse.spent, amount, purse.budget) and fits(purse.lately, amount, purse.period_budget):
        return amount
    if not purse.pays_rest:
        return 0.0
    left = min(rest(purse.spent, purse.budget), rest(purse.lately, purse.period_budget))
    return min(amount, left)


def most_affordable(purse: Purse, customer: int) -> float:
    """The largest amount that can be offered to this customer; infinite without a limit."""
    left = purse.period_budget
    if purse.period > 0 and (customer - 1) // purse.period == purse.number[0]:
        left = rest(purse.lately, purse.period_budget)
    return min(purse.cap, rest(purse.spent, purse.budget), left)


def charge(purse: Purse, amount: float) -> None:
    """Charge the purse with the payment to a customer; a fee, which is below 0, fills it."""
    if purse.counted and amount != 0.0:
        add_exactly(purse.spent, amount)
        add_exactly(purse.lately, amount)


def refund(purse: Purse, customer: int, amount: float) -> None:
    """Refund the payment to a customer who left; a period that has ended is not reopened."""
    if purse.counted and amount != 0.0:
        add_exactly(purse.spent, -amount)
        if purse.period == 0 or (customer - 1) // purse.period == purse.number[0]:
            add_exactly(purse.lately, -amount)
