"""The public record of a market, which controller and customers both read.

Everything here is plain Python that the batch engine compiles as it stands: loops over arms, no
allocation, no vectorised sums (compiled and interpreted sums round differently).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray


class Book(NamedTuple):
    """What has been reported of every arm so far.

    `pulls[i]` is N_i(t), the reports on arm i; `totals[i]` is M_i(t), the sum of the rewards
    reported; `means[i]` is their quotient. `first_ties` is set when ties go to the lowest index.
    """

    pulls: NDArray[np.int64]
    totals: NDArray[np.float64]
    means: NDArray[np.float64]
    first_ties: bool


def empty_book(arms: int, first_ties: bool = False) -> Book:
    """A book with no report in it."""
    return Book(np.zeros(arms, np.int64), np.zeros(arms), np.zeros(arms), first_ties)


def record(book: Book, arm: int, reward: float) -> None:
    """Write one report into the book."""
    book.pulls[arm] += 1
    book.totals[arm] += reward
    book.means[arm] = book.totals[arm] / book.pulls[arm]


def best_mean(book: Book) -> float:
    """The highest empirical mean in the book, max_j m_j."""
    best = book.means[0]
    for mean in book.means:
        if mean > best:
            best = mean
    return best


def highest(values: NDArray[np.float64], book: Book, rng: Generator) -> int:
    """The arm with the highest value; ties are broken uniformly at random.

    Only a tie draws from `rng`, and it draws once. In a market with `ties = "first"` the lowest
    index wins instead.
    """
    best = 0
    tied = 1
    for arm in range(1, len(values)):
        if values[arm] > values[best]:
            best = arm
            tied = 1
        elif values[arm] == values[best]:
            tied += 1
    if tied == 1 or book.first_ties:
        return best
    skip = int(rng.random() * tied)
    for arm in range(best, len(values)):
        if values[arm] == values[best]:
            if skip == 0:
                return arm
            skip -= 1
    return best


def leader(book: Book, rng: Generator) -> int:
    """The arm with the best record, argmax_i m_i; ties are broken as `highest` does."""
    return highest(book.means, book, rng)


def next_unreported(book: Book, directed: NDArray[np.int64]) -> int:
    """The arm to seed: of those with no report, the one least often directed to; -1 if none."""
    chosen = -1
    for arm in range(len(directed)):
        if book.pulls[arm] == 0 and (chosen < 0 or directed[arm] < directed[chosen]):
            chosen = arm
    return chosen
