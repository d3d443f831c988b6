"""The public record of a market, which controller and customers both read.

Everything here is plain Python that the batch engine compiles as it stands: loops over arms, no
allocation, no vectorised sums (compiled and interpreted sums round differently). `float` and `int`
around an entry of an array cost nothing compiled and save time interpreted, where NumPy's scalars
are slow.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray


class Book(NamedTuple):
    """What has been reported of every arm so far.

    `pulls[i]` is N_i(t), the reports on arm i; `totals[i]` is M_i(t), the sum of the rewards
    reported; `means[i]` is their quotient, 0 before the first report. `top` holds the first of the
    arms with the highest mean and how many share it, `behind` a number that the means of all other
    arms do not exceed. `first_ties` is set when ties go to the lowest index.
    """

    pulls: NDArray[np.int64]
    totals: NDArray[np.float64]
    means: NDArray[np.float64]
    top: NDArray[np.int64]
    behind: NDArray[np.float64]
    first_ties: bool


def empty_book(arms: int, first_ties: bool = False) -> Book:
    """A book with no report in it."""
    return Book(
        pulls=np.zeros(arms, np.int64),
        totals=np.zeros(arms),
        means=np.zeros(arms),
        top=np.array([0, arms]),
        behind=np.zeros(1),
        first_ties=first_ties,
    )


def record(book: Book, arm: int, reward: float) -> None:
    """Write one report into the book, and see who leads now."""
    leading = int(book.top[0])
    best = float(book.means[leading])
    before = float(book.means[arm])
    count = int(book.pulls[arm]) + 1
    total = float(book.totals[arm]) + reward
    now = total / count
    book.pulls[arm] = count
    book.totals[arm] = total
    book.means[arm] = now
    if arm == leading:
        if now > book.behind[0]:
            book.top[1] = 1
        else:
            find_top(book)
    elif now > best:
        book.top[0] = arm
        book.top[1] = 1
        book.behind[0] = best
    elif now == best or before == best:
        find_top(book)
    elif now > book.behind[0]:
        book.behind[0] = now


def find_top(book: Book) -> None:
    """Look through all means for the highest, and for the next after its arm."""
    first, tied = first_highest(book.means)
    behind = -math.inf
    for arm in range(len(book.means)):
        if arm != first and book.means[arm] > behind:
            behind = float(book.means[arm])
    book.top[0] = first
    book.top[1] = tied
    book.behind[0] = behind


def first_highest(values: NDArray[np.float64]) -> tuple[int, int]:
    """The first of the arms with the highest value, and how many share it."""
    best = values[0]
    first = 0
    tied = 1
    for arm in range(1, len(values)):
        value = values[arm]
        if value > best:
            best = value
            first = arm
            tied = 1
        elif value == best:
            tied += 1
    return first, tied


def best_mean(book: Book) -> float:
    """The highest empirical mean in the book, max_j m_j."""
    return float(book.means[book.top[0]])


def draw_tied(values: NDArray[np.float64], first: int, tied: int, rng: Generator) -> int:
    """One of the `tied` arms whose value is that of arm `first`, each with the same chance."""
    skip = int(rng.random() * tied)
    for arm in range(first, len(values)):
        if values[arm] == values[first]:
            if skip == 0:
                return arm
            skip -= 1
    return first


def draw_weighted(
    weights: NDArray[np.float64], total: float, otherwise: int, rng: Generator
) -> int:
    """An arm drawn by its weight among `total`; `otherwise` if rounding leaves the draw over."""
    left = rng.random() * total
    for arm in range(len(weights)):
        left -= weights[arm]
        if left < 0.0:
            return arm
    return otherwise


def highest(values: NDArray[np.float64], book: Book, rng: Generator) -> int:
    """The arm with the highest value; ties are broken uniformly at random.

    Only a tie draws from `rng`, and it draws once. In a market with `ties = "first"` the lowest
    index wins instead.
    """
    first, tied = first_highest(values)
    if tied == 1 or book.first_ties:
        return first
    return draw_tied(values, first, tied, rng)


def leader(book: Book, rng: Generator) -> int:
    """The arm with the best record, argmax_i m_i; ties are broken as `highest` does."""
    if book.top[1] == 1 or book.first_ties:
        return int(book.top[0])
    return draw_tied(book.means, book.top[0], book.top[1], rng)


def next_unreported(book: Book, directed: NDArray[np.int64]) -> int:
    """The arm to seed: of those with no report, the one least often directed to; -1 if none."""
    chosen = -1
    for arm in range(len(directed)):
        if book.pulls[arm] == 0 and (chosen < 0 or directed[arm] < directed[chosen]):
            chosen = arm
    return chosen
