"""The controller's purse: how much may be spent on customers, and what has been, to the last bit.

A budget is a promise. Rounding may break it: add up a thousand payments in floating point and the
sum is off by more than the last payment's last digits. So the purse keeps sums as two floats, the
sum and its rounding error (Dekker 1971, Knuth's TwoSum), which together hold the exact value; in
the rare case where even the error needs rounding, it is rounded against the spender.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Sum = NDArray[np.float64]  # the sum and its error, which is at most half a unit in the last place


class Purse(NamedTuple):
    """What may be spent, and what has been.

    `cap` is the most for one customer, `budget` for all of them, `allowance` for each period of
    `period` customers; what is not used of an allowance is lost. `pays_rest` is set if the last of
    the money is offered where it does not cover the price, else nothing is offered then. `limited`
    is set if there is any limit on sums.
    """

    limited: bool
    cap: float
    budget: float
    period: int
    allowance: float
    pays_rest: bool
    spent: Sum
    lately: Sum
    number: NDArray[np.int64]  # of the period that `lately` speaks of


def new_purse(cap: float, budget: float, period: int, allowance: float, pays_rest: bool) -> Purse:
    """A purse out of which nothing has been paid."""
    limited = budget < np.inf or allowance < np.inf
    spent, lately = np.zeros(2), np.zeros(2)
    number = np.zeros(1, np.int64)
    return Purse(limited, cap, budget, period, allowance, pays_rest, spent, lately, number)


def add_exactly(sums: Sum, amount: float) -> None:
    """Add an amount to a sum without losing a bit; what must be lost makes the sum larger."""
    total, error = two_sum(float(sums[0]), amount)
    low, lost = two_sum(float(sums[1]), error)
    if lost > 0.0:
        low = float(np.nextafter(low, np.inf))
    high = total + low
    sums[0] = high
    sums[1] = low - (high - total)


def two_sum(a: float, b: float) -> tuple[float, float]:
    """The rounded sum of two numbers, and the error: together exactly a + b (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def fits(sums: Sum, amount: float, limit: float) -> bool:
    """Whether the limit still holds, exactly, when the amount is added to the sum."""
    total, error = two_sum(float(sums[0]), amount)
    low, lost = two_sum(float(sums[1]), error)
    if lost > 0.0:
        low = float(np.nextafter(low, np.inf))
    high = total + low
    return high < limit or (high == limit and low - (high - total) <= 0.0)


def rest(sums: Sum, limit: float) -> float:
    """The most that can still be added to the sum; it may fall short by a rounding error."""
    left = (limit - float(sums[0])) - float(sums[1])
    while left > 0.0 and not fits(sums, left, limit):
        left = float(np.nextafter(left, 0.0))
    return max(left, 0.0)


def affordable(purse: Purse, customer: int, wanted: float) -> float:
    """What can be offered to this customer of the amount wanted."""
    amount = min(wanted, purse.cap)
    if not purse.limited:
        return amount
    if purse.period > 0:
        number = (customer - 1) // purse.period
        if number != purse.number[0]:
            purse.number[0] = number
            purse.lately[0] = 0.0
            purse.lately[1] = 0.0
    if fits(purse.spent, amount, purse.budget) and fits(purse.lately, amount, purse.allowance):
        return amount
    if not purse.pays_rest:
        return 0.0
    left = min(rest(purse.spent, purse.budget), rest(purse.lately, purse.allowance))
    return min(amount, left)


def charge(purse: Purse, amount: float) -> None:
    """Take out of the purse what was promised to the customer just served."""
    if purse.limited and amount > 0.0:
        add_exactly(purse.spent, amount)
        add_exactly(purse.lately, amount)


def refund(purse: Purse, customer: int, amount: float) -> None:
    """Put back what was promised to a customer who went away; a period that is over stays so."""
    if purse.limited and amount > 0.0:
        add_exactly(purse.spent, -amount)
        if purse.period == 0 or (customer - 1) // purse.period == purse.number[0]:
            add_exactly(purse.lately, -amount)
