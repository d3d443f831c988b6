"""Risk-averse customers.

Mean-variance preferences: arm i is worth m_i - aversion * v_i, where v_i is the variance of its
reports so far (0 after the first). A safe arm may permanently beat a risky one with a higher mean,
without any mistake by the customers; regret, which counts means only, then grows linearly whatever
is learned. Negative aversion describes risk lovers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.arithmetic.exact import add_at, on_grid, two_product
from kcmab_abm.model.book import Book

FLAT = 2.0**-50  # a variance of reports of this size is rounding error


def hear(arm: int, reward: float, memory: Any) -> None:
    """Add the report and its square to sums that do not depend on the order of reports."""
    told = on_grid(reward)
    add_at(memory.total, memory.total_error, arm, told)
    add_at(memory.squares, memory.squares_error, arm, on_grid(told * told))


def variance(arm: int, pulls: int, memory: Any) -> float:
    """The variance of the reports on an arm, (n sum x^2 - (sum x)^2) / n^2.

    Both products are exact, so of 0-1 rewards the result depends on the share of ones and its
    distance from 1/2 alone.
    """
    count = float(pulls)
    squares, low = two_product(count, memory.squares[arm])
    low += count * memory.squares_error[arm]
    square, error = two_product(memory.total[arm], memory.total[arm])
    error += 2.0 * memory.total[arm] * memory.total_error[arm]
    spread = (squares - square) + (low - error)
    weight = count * count
    return spread / weight if spread > FLAT * (squares + weight) else 0.0


@behaviour(
    "risk-averse",
    cites="Markowitz 1952; Banihashem, Hajiaghayi, Shin and Slivkins 2023",
    hear=hear,
    memory={
        "total": "arms",
        "total_error": "arms",
        "squares": "arms",
        "squares_error": "arms",
    },
    aversion=Parameter(1.0, "cost per unit of variance; 0 is greedy", ge=-100.0, le=100.0),
)
def value(
    book: Book,
    values: NDArray[np.float64],
    adjustments: NDArray[np.float64],
    memory: Any,
    params: Any,
) -> None:
    """Takes argmax_i m_i - aversion * variance_i + c_i."""
    for arm in range(len(book.means)):
        values[arm] = book.means[arm]
        adjustments[arm] = -params.aversion * variance(arm, int(book.pulls[arm]), memory)
