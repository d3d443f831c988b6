"""Choose at random, better arms more often (multinomial logit).

The utility of arm i is v_i + c_i plus a private Gumbel error of scale tau, so P(i) is proportional
to exp((v_i + c_i) / tau).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import decision
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book, draw_weighted
from kcmab_abm.model.offers import Board, best_deal

Floats = NDArray[np.float64]

NEGLIGIBLE = 800.0  # in units of tau: exp(-800) underflows to 0


def weigh(board: Board, relative: Floats, weight: Floats, tau: float) -> float:
    """Fill in the weight of each arm, relative to the best, and return their sum."""
    best = relative[0] + board.offers[0]
    for arm in range(1, len(relative)):
        best = max(best, relative[arm] + board.offers[arm])
    total = 0.0
    for arm in range(len(relative)):
        excess = float(relative[arm] + board.offers[arm] - best)
        # The quotient of numbers this far apart could overflow.
        weight[arm] = 0.0 if excess < -NEGLIGIBLE * tau else math.exp(excess / tau)
        total += weight[arm]
    return total


def chances(
    book: Book, board: Board, relative: Floats, chances: Floats, params: Any, rng: Generator
) -> None:
    """Fill in the probability of each arm; with tau = 0 there is only one."""
    if params.tau == 0.0:
        chosen = best_deal(relative, 1.0, book, board, rng)
        for arm in range(len(relative)):
            chances[arm] = 1.0 if arm == chosen else 0.0
        return
    total = weigh(board, relative, chances, params.tau)
    for arm in range(len(relative)):
        chances[arm] /= total


@decision(
    "logit",
    cites="McFadden 1974",
    chances=chances,
    memory={"weight": "arms"},
    tau=Parameter(0.1, "noise of customers: 0 is greedy, large is uniformly random", ge=0.0),
)
def decide(
    book: Book, board: Board, relative: Floats, memory: Any, params: Any, rng: Generator
) -> int:
    """Takes arm i with probability proportional to exp((v_i + c_i) / tau); may refuse an offer.

    Between two equally good arms she tosses a coin, so she refuses the least offer half the time
    however small tau is. With tau = 0 she is greedy, and takes the target when indifferent.
    """
    if params.tau == 0.0:
        return best_deal(relative, 1.0, book, board, rng)
    total = weigh(board, relative, memory.weight, params.tau)
    return draw_weighted(memory.weight, total, board.target, rng)
