"""Customers who read the latest reports only, or the old ones with less attention.

Bounded memory: arm i is worth the average of its last `window` reports, or of all its reports
discounted by `discount` for each one that came later. What was bad long ago is forgiven, and what
was good forgotten, so recent luck leads them. Chakraborty and Chen (2024) let a controller with
such a memory pay for exploration where arms change, and find regret and compensation that grow more
slowly than time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book
from kcmab_abm.catalogue import behaviour
from kcmab_abm.entries import Parameter
from kcmab_abm.offers import Board, best_deal


def room(arms: int, given: Mapping[str, Any]) -> int:
    """Room for the last reports of every arm."""
    return int(arms * given["window"])


def hear(
    t: int, arm: int, reward: float, book: Book, memory: Any, params: Any, rng: Generator
) -> None:
    """Keep a report, at the place of the one that is now too old; the newest weighs 1."""
    memory.weight[arm] = memory.weight[arm] * params.discount + 1.0
    memory.total[arm] = memory.total[arm] * params.discount + reward
    memory.mean[arm] = memory.total[arm] / memory.weight[arm]
    window = params.window
    if window > 0:
        memory.recent[arm * window + (book.pulls[arm] - 1) % window] = reward
        if book.pulls[arm] > window:
            memory.mean[arm] = windowed_mean(arm, int(book.pulls[arm]), memory, params)


def windowed_mean(arm: int, pulls: int, memory: Any, params: Any) -> float:
    """The average of the last reports, discounted, summed from the oldest on."""
    window = params.window
    total = 0.0
    weight = 0.0
    for age in range(window):
        weight = weight * params.discount + 1.0
        total = total * params.discount + memory.recent[arm * window + (pulls + age) % window]
    return float(total / weight)


@behaviour(
    "recency",
    cites="bounded memory; Chakraborty and Chen 2024",
    hear=hear,
    memory={
        "recent": room,
        "weight": "arms",
        "total": "arms",
        "mean": "arms",
    },
    window=Parameter(50, "reports of an arm that are read; 0 for all", ge=0, le=100_000),
    discount=Parameter(1.0, "weight of a report for each later one of its arm", gt=0.0, le=1.0),
)
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes the best deal by the recent reports: the last few, or the old ones discounted."""
    return best_deal(memory.mean, 1.0, book, board, rng)
