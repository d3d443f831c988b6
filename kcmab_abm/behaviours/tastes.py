"""Customers who differ: in what they like, and in what money is worth to them.

Customer t values arm i at m_i + b_i + r c_i. Her biases b_i are normal with standard deviation
`spread`, her value of money r is log-normal with mean `money`; the controller knows neither. Han,
Kempe and Qiang (2015) study such a principal: the better it can tell how much an agent cares for
money, the less its exploration costs. Biases make customers explore on their own: somebody likes
every arm.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book
from kcmab_abm.catalogue import behaviour
from kcmab_abm.entries import Parameter
from kcmab_abm.offers import Board, best_deal


@behaviour(
    "tastes",
    cites="Han, Kempe and Qiang 2015",
    memory={"value": "arms"},
    spread=Parameter(0.1, "standard deviation of her bias for an arm", ge=0.0, le=100.0),
    money=Parameter(1.0, "mean of what a payment of 1 is worth to her", ge=0.0, le=100.0),
    money_spread=Parameter(0.0, "standard deviation of the logarithm of that", ge=0.0, le=5.0),
)
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes argmax_i m_i + b_i + r c_i, with biases b and a value of money r of her own."""
    for arm in range(len(book.means)):
        memory.value[arm] = book.means[arm]
        if params.spread > 0.0:
            memory.value[arm] += params.spread * rng.standard_normal()
    money = params.money
    if params.money_spread > 0.0:
        sigma = params.money_spread
        money *= math.exp(sigma * rng.standard_normal() - 0.5 * sigma * sigma)
    return best_deal(memory.value, money, book, board, rng)
