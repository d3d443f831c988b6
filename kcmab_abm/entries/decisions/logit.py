"""Choose at random, better arms more often (multinomial logit).

The utility of arm i is v_i + c_i plus a private Gumbel error of scale tau, so P(i) is proportional
to exp((v_i + c_i) / tau).

Few values change from one customer to the next, so most weights need not be computed anew: they are
kept in `kept`, relative to a `shift` that seldom changes. These weights are rounded in another way
than those of the rule, so wherever rounding might decide, `likely` leaves the choice to the rule.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import decision
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.entries.decisions import greedy
from kcmab_abm.model.book import Book, arm_at
from kcmab_abm.model.offers import Board, best_deal

Floats = NDArray[np.float64]

NEGLIGIBLE = 800.0  # in units of tau: exp(-800) underflows to 0
LARGE = 500.0  # likewise: the sum of so many weights as there are arms stays finite
SMALL_SUM, LARGE_SUM = 1e-12, 1e12  # beyond, kept weights are computed anew for another shift
MARGIN = 1e-9  # of the sum of the weights: far more than rounding errors


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


def chances(book: Book, board: Board, relative: Floats, chances: Floats, params: Any) -> None:
    """Fill in the probability of each arm; with tau = 0 those of greedy customers."""
    if params.tau == 0.0:
        greedy.chances(book, board, relative, chances)
        return
    total = weigh(board, relative, chances, params.tau)
    for arm in range(len(relative)):
        chances[arm] /= total


def unseen(arms: int, given: Mapping[str, Any]) -> Floats:
    """No value has been seen."""
    return np.full(arms, np.inf)


MEMORY: dict[str, Any] = {"weight": "arms", "kept": "arms", "seen": unseen, "shift": 1}


def sum_kept(relative: Floats, memory: Any, tau: float) -> float:
    """Compute the weights of values that have changed, and return the sum of all; or infinity."""
    shift, total = float(memory.shift[0]), 0.0
    for arm in range(len(relative)):
        value = float(relative[arm])
        if value != memory.seen[arm]:
            excess = value - shift
            if excess > LARGE * tau:
                return math.inf
            memory.kept[arm] = 0.0 if excess < -NEGLIGIBLE * tau else math.exp(excess / tau)
            memory.seen[arm] = value
        total += memory.kept[arm]
    return total


def likely(left: float, board: Board, relative: Floats, memory: Any, tau: float) -> int:
    """The arm for a uniform number, if only the target has an offer; -1 if rounding may decide."""
    target = board.target
    offer = float(board.offers[target])
    if board.rivals or offer < 0.0:
        return -1
    total = sum_kept(relative, memory, tau)
    if not SMALL_SUM < total < LARGE_SUM:
        best = relative[0]
        for arm in range(len(relative)):
            best = max(best, relative[arm])
            memory.seen[arm] = math.inf
        memory.shift[0] = best
        total = sum_kept(relative, memory, tau)
    weight = float(memory.kept[target])
    if offer > 0.0:
        excess = float(relative[target]) + offer - float(memory.shift[0])
        if excess > LARGE * tau:
            return -1
        weight = 0.0 if excess < -NEGLIGIBLE * tau else math.exp(excess / tau)
        total += weight - memory.kept[target]
    left *= total
    margin = MARGIN * total
    for arm in range(len(relative)):
        left -= weight if arm == target else memory.kept[arm]
        if left < margin:
            return arm if left < -margin else -1
    return -1


@decision(
    "logit",
    cites="McFadden 1974",
    chances=chances,
    memory=MEMORY,
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
    drawn = rng.random()
    arm = likely(drawn, board, relative, memory, params.tau)
    if arm >= 0:
        return arm
    total = weigh(board, relative, memory.weight, params.tau)
    return arm_at(memory.weight, drawn * total, board.target)
