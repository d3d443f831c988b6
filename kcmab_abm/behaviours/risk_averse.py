"""Customers who would rather be sure.

Mean-variance preferences: arm i is worth m_i - aversion * v_i, with v_i the variance of its reports
so far (0 while there is but one). A risky arm with a higher mean may lose to a safe one, for good
and without a mistake on the customers' side; regret, which counts means alone, then grows with time
whatever is learned. A negative aversion makes gamblers.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book
from kcmab_abm.catalogue import behaviour
from kcmab_abm.entries import Parameter
from kcmab_abm.offers import Board, best_deal


def hear(
    t: int, arm: int, reward: float, book: Book, memory: Any, params: Any, rng: Generator
) -> None:
    """Add to the squared deviations of the arm's reports (Welford 1962)."""
    count = float(book.pulls[arm])
    step = reward - memory.middle[arm]
    memory.middle[arm] += step / count
    memory.squares[arm] += step * (reward - memory.middle[arm])


@behaviour(
    "risk-averse",
    cites="Markowitz 1952; Banihashem, Hajiaghayi, Shin and Slivkins 2023",
    hear=hear,
    memory={"middle": "arms", "squares": "arms", "value": "arms"},
    aversion=Parameter(1.0, "of a unit of variance; 0 is greedy", ge=-100.0, le=100.0),
)
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes argmax_i m_i - aversion * variance_i + c_i."""
    for arm in range(len(book.means)):
        variance = memory.squares[arm] / book.pulls[arm]
        memory.value[arm] = book.means[arm] - params.aversion * variance
    return best_deal(memory.value, 1.0, book, board, rng)
