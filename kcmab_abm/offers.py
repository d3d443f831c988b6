"""What the controller offers, the board on which it is posted, and how customers weigh it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.book import Book, best_mean, first_highest


class Board(NamedTuple):
    """What the customer finds posted: the arm the controller targets and an offer for every arm.

    `rivals` is set when an arm other than the target carries an offer too.
    """

    target: int
    offers: NDArray[np.float64]
    rivals: bool


def least_offer(book: Book, arm: int) -> float:
    """The least compensation that makes a greedy customer take `arm` (Fact 1): max_j m_j - m_arm.

    It leaves her exactly indifferent. Customers judge it by the same subtraction, so that no
    rounding can make them refuse what is owed: m + (max - m) may round to less than max, while
    max - m always equals itself.
    """
    return float(best_mean(book) - book.means[arm])


def estimated_gap(book: Book, arm: int, error: float, rng: Generator) -> float:
    """What the controller believes the customer gives up; off by a normal error, never below 0."""
    gap = least_offer(book, arm)
    if error > 0.0:
        return max(0.0, gap + error * rng.standard_normal())
    return gap


def next_to_offer(book: Book, target: int, offered: NDArray[np.float64]) -> int:
    """The arm with the fewest reports that carries no mark yet, the target apart; -1 if none."""
    chosen = -1
    for arm in range(len(offered)):
        if (
            arm != target
            and offered[arm] == 0.0
            and (chosen < 0 or book.pulls[arm] < book.pulls[chosen])
        ):
            chosen = arm
    return chosen


def surplus(value: float, offer: float, best: float) -> float:
    """What an arm with its offer is worth beyond `best`, the best there is without offers.

    The least offer gives exactly 0: it is the same subtraction. The sum `value + offer` would not
    do, for it rounds, and offers that are equally good would no longer be equal.
    """
    return offer - (best - value)


def best_deal(
    values: NDArray[np.float64], money: float, book: Book, board: Board, rng: Generator
) -> int:
    """The arm with the best value and offer together, to a customer who values arms so.

    An offer of 1 is worth `money` to her. When indifferent she takes the arm that the controller
    targets; other ties are broken uniformly at random, by a draw that only a tie needs.
    """
    first, _ = first_highest(values)
    best = float(values[first])
    target = board.target
    top = surplus(float(values[target]), money * float(board.offers[target]), best)
    beaten = False
    tied = 0
    for arm in range(len(values)):
        if arm != target:
            here = surplus(float(values[arm]), money * float(board.offers[arm]), best)
            if here > top:
                top = here
                beaten = True
                tied = 1
            elif beaten and here == top:
                tied += 1
    if not beaten:
        return target
    skip = 0 if tied == 1 or book.first_ties else int(rng.random() * tied)
    for arm in range(len(values)):
        if arm != target:
            here = surplus(float(values[arm]), money * float(board.offers[arm]), best)
            if here == top:
                if skip == 0:
                    return arm
                skip -= 1
    return target
