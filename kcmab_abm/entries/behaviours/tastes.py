"""Customers with different tastes and different values of money.

Customer t values arm i at m_i + b_i + r c_i. Her biases b_i are normal with standard deviation
`spread`, and her value of money r is log-normal with mean `money`; the controller observes neither.
Han, Kempe and Qiang (2015) study such a principal: the better it can infer how much agents value
money, the less exploration costs. Biases make customers explore on their own, because every arm is
somebody's favourite.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book


def money_value(params: Any, rng: Generator) -> float:
    """The value of money of the next customer, r."""
    if params.money_spread > 0.0:
        sigma = params.money_spread
        return float(params.money * math.exp(sigma * rng.standard_normal() - 0.5 * sigma * sigma))
    return float(params.money)


@behaviour(
    "tastes",
    cites="Han, Kempe and Qiang 2015",
    money_value=money_value,
    spread=Parameter(0.1, "standard deviation of her bias for an arm", ge=0.0, le=100.0),
    money=Parameter(1.0, "mean value of a payment of 1", ge=0.0, le=100.0),
    money_spread=Parameter(0.0, "standard deviation of the log value of money", ge=0.0, le=5.0),
)
def value(book: Book, values: NDArray[np.float64], params: Any, rng: Generator) -> None:
    """Takes argmax_i m_i + b_i + r c_i, with her own biases b and value of money r."""
    for arm in range(len(values)):
        values[arm] = book.means[arm]
        if params.spread > 0.0:
            values[arm] += params.spread * rng.standard_normal()
