"""Customers who choose by chance, the better the likelier.

The workhorse of discrete choice: every arm's worth is m_i + c_i plus a Gumbel error of scale tau
that only she knows, which makes P(i) proportional to exp((m_i + c_i) / tau). She refuses some
offers and explores a little without being paid.
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
    "logit",
    cites="McFadden 1974",
    memory={"weight": "arms"},
    tau=Parameter(0.1, "temperature: 0 is greedy, large is blind chance", ge=0.0),
)
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes arm i with probability proportional to exp((m_i + c_i) / tau); may refuse an offer.

    Between equals she tosses a coin, so that the least offer is refused half the time however small
    tau is; tau = 0 is the greedy customer herself, who is willing when indifferent.
    """
    if params.tau == 0.0:
        return greedy.take(t, book, board, memory, params, rng)
    best = book.means[0] + board.offers[0]
    for arm in range(1, len(book.means)):
        best = max(best, book.means[arm] + board.offers[arm])
    total = 0.0
    for arm in range(len(book.means)):
        excess = float(book.means[arm] + board.offers[arm] - best)
        memory.weight[arm] = math.exp(excess / params.tau)
        total += memory.weight[arm]
    return draw_weighted(memory.weight, total, board.target, rng)
