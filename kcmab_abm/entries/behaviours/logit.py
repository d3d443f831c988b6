"""Customers who choose at random, better arms more often (multinomial logit).

The utility of arm i is m_i + c_i plus a private Gumbel error of scale tau, so P(i) is proportional
to exp((m_i + c_i) / tau). She refuses some offers and explores a little without being paid.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.entries.decisions import logit
from kcmab_abm.model.book import Book
from kcmab_abm.model.offers import Board


@behaviour(
    "logit",
    cites="McFadden 1974",
    memory=logit.MEMORY,
    tau=Parameter(0.1, "noise of customers: 0 is greedy, large is uniformly random", ge=0.0),
)
def take(book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes arm i with probability proportional to exp((m_i + c_i) / tau); may refuse an offer."""
    return logit.decide(book, board, book.means, memory, params, rng)
