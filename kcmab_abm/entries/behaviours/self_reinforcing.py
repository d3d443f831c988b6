"""Customers who follow the crowd.

Zhou et al. (2021): with probability `share` a customer ignores the means and takes arm i with
probability proportional to (S_i + theta)^alpha, where S_i is the total reward of arm i so far. An
offer c on the target raises its probability from p to (p + g) / (1 + g) with g = lift * c. With
alpha > 1 one arm eventually attracts everybody (a generalised Polya urn), and not always the best
one; early offers decide which. Who follows the crowd pays any fee.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.entries.behaviours import greedy
from kcmab_abm.model.book import Book, draw_weighted
from kcmab_abm.model.offers import Board


@behaviour(
    "self-reinforcing",
    cites="Zhou et al. 2021, self-reinforcing preferences",
    memory={"weight": "arms"},
    share=Parameter(1.0, "share who follow the crowd; the others are greedy", ge=0.0, le=1.0),
    alpha=Parameter(1.5, "strength of reinforcement; above 1 one arm wins", ge=0.0, le=20.0),
    theta=Parameter(1.0, "initial popularity of every arm", ge=1e-9, le=1e6),
    lift=Parameter(10.0, "effect of an offer of 1", ge=0.0, le=1e6),
)
def take(book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes arm i with probability proportional to (S_i + theta)^alpha, S_i its total reward."""
    if params.share < 1.0 and (params.share == 0.0 or rng.random() >= params.share):
        return greedy.take(book, board, rng)
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
