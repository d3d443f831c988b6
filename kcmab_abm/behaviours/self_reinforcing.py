"""Customers who follow the crowd.

Zhou et al. (2021): with probability `share` a customer does not weigh the
arms but follows success, and takes arm i with probability proportional to (S_i + theta)^alpha, S_i
the rewards that arm i has given to all so far. An offer c on the target raises its chance from p to
(p + g) / (1 + g) with g = lift * c. With alpha > 1 success breeds success so fast that one arm ends
up with everybody (a generalised Polya urn), and not always the best one; offers at the start decide
which.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.behaviours import greedy
from kcmab_abm.book import Book, draw_weighted
from kcmab_abm.catalogue import behaviour
from kcmab_abm.entries import Parameter
from kcmab_abm.offers import Board


@behaviour(
    "self-reinforcing",
    cites="Zhou et al. 2021, self-reinforcing preferences",
    memory={"weight": "arms"},
    share=Parameter(1.0, "of customers who follow the crowd; the rest is greedy", ge=0.0, le=1.0),
    alpha=Parameter(1.5, "how fast success breeds success; above 1 one arm wins", ge=0.0, le=20.0),
    theta=Parameter(1.0, "popularity that every arm begins with", gt=0.0, le=1e6),
    lift=Parameter(10.0, "pull of an offer of 1", ge=0.0, le=1e6),
)
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes arm i with probability proportional to (S_i + theta)^alpha, S_i its rewards so far."""
    if params.share < 1.0 and (params.share == 0.0 or rng.random() >= params.share):
        return greedy.take(t, book, board, memory, params, rng)
    pull = params.lift * board.offers[board.target]
    if pull > 0.0 and rng.random() * (1.0 + pull) < pull:
        return board.target
    most = 0.0
    for arm in range(len(book.means)):
        most = max(most, book.totals[arm])
    total = 0.0
    for arm in range(len(book.means)):
        ratio = (max(0.0, book.totals[arm]) + params.theta) / (most + params.theta)
        memory.weight[arm] = math.exp(params.alpha * math.log(ratio))
        total += memory.weight[arm]
    return draw_weighted(memory.weight, total, board.target, rng)
