"""The public record of a market, read by the controller and the customers.

Everything here is plain Python that the batch engine compiles unchanged: loops over arms, no
allocation, no vectorised sums (compiled and interpreted sums round differently). `float` and `int`
around an array entry cost nothing when compiled and save time when interpreted, because NumPy's
scalars are slow.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray


class Book(NamedTuple):
    """The reports on every arm so far. Functions read it; only the market writes to it.

    Parameters
    ----------
    pulls
        The number of reports on each arm, N_i(t).
    totals
        The sum of the rewards reported for each arm, M_i(t).
    means
        The mean reported reward of each arm, M_i(t) / N_i(t); 0 before the first report.
    top
        The first arm with the highest mean, and the number of arms that share this mean.
    behind
        An upper bound on the means of all other arms.
    first_ties
        True if ties go to the lowest index, instead of being broken at random.
    """

    pulls: NDArray[np.int64]
    totals: NDArray[np.float64]
    means: NDArray[np.float64]
    top: NDArray[np.int64]
    behind: NDArray[np.float64]
    first_ties: bool


def empty_book(arms: int, first_ties: bool = False) -> Book:
    """A book without reports."""
    return Book(
        pulls=np.zeros(arms, np.int64),
        totals=np.zeros(arms),
        means=np.zeros(arms),
        top=np.array([0, arms]),
        behind=np.zeros(1),
        first_ties=first_ties,
    )


def clear(book: Book) -> None:
    """Remove all reports."""
    for arm in range(len(book.pulls)):
        book.pulls[arm] = 0
        book.totals[arm] = 0.0
        book.means[arm] = 0.0
    book.top[0] = 0
    book.top[1] = len(book.pulls)
    book.behind[0] = 0.0


def is_legible(view: Book) -> bool:
    """Return True if customers can compare the arms: no count below 0, only finite numbers."""
    for arm in range(len(view.pulls)):
        if not (
            view.pulls[arm] >= 0
            and -math.inf < view.totals[arm] < math.inf
            and -math.inf < view.means[arm] < math.inf
        ):
            return False
    return True


def sealed(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view


def sealed_book(book: Book) -> Book:
    """A read-only view of a book."""
    pulls, totals, means, top, behind = (sealed(each) for each in book[:-1])
    return Book(pulls, totals, means, top, behind, book.first_ties)


def record(book: Book, arm: int, reward: float) -> None:
    """Record one report, and update the leader."""
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
        elif book.top[1] == 1:
            find_top(book)
        elif now < best:
            book.top[0] = next_equal(book.means, leading + 1, best)
            book.top[1] -= 1
    elif now > best:
        book.top[0] = arm
        book.top[1] = 1
        book.behind[0] = best
    elif now == best:
        if before != best:
            book.top[0] = min(leading, arm)
            book.top[1] += 1
            book.behind[0] = best
    elif before == best:
        book.top[1] -= 1
    elif now > book.behind[0]:
        book.behind[0] = now


def next_equal(values: NDArray[np.float64], place: int, value: float) -> int:
    """The first place with this value from a place on; there is one."""
    while values[place] != value:
        place += 1
    return place


def find_top(book: Book) -> None:
    """Find the highest mean and the next highest by going through all means."""
    first, tied = first_highest(book.means)
    behind = -math.inf
    for arm in range(len(book.means)):
        if arm != first and book.means[arm] > behind:
            behind = float(book.means[arm])
    book.top[0] = first
    book.top[1] = tied
    book.behind[0] = behind


def first_highest(values: NDArray[np.float64]) -> tuple[int, int]:
    """The first arm with the highest value, and the number of arms that share this value."""
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
    """One of the `tied` arms that have the value of arm `first`, uniformly at random."""
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
    """An arm drawn with probability weight / `total`; `otherwise` if rounding selects none."""
    return arm_at(weights, rng.random() * total, otherwise)


def arm_at(weights: NDArray[np.float64], left: float, otherwise: int) -> int:
    """The first arm up to which the weights add up to more than `left`; `otherwise` if none."""
    for arm in range(len(weights)):
        left -= weights[arm]
        if left < 0.0:
            return arm
    return otherwise


def highest(values: NDArray[np.float64], book: Book, rng: Generator) -> int:
    """Return the arm with the highest value; ties are broken uniformly at random.

    Only a tie draws from `rng`, once. With `ties = "first"` in the scenario the lowest index wins.

    Parameters
    ----------
    values
        One value per arm.
    book
        The public record, which knows how ties are broken.
    rng
        The generator that the calling function was given.

    Returns
    -------
    The number of the arm, from 0.
    """
    first, tied = first_highest(values)
    if tied == 1 or book.first_ties:
        return first
    return draw_tied(values, first, tied, rng)


def leader(book: Book, rng: Generator) -> int:
    """Return the arm with the highest mean in the book; ties are broken as in `highest`.

    Parameters
    ----------
    book
        The public record.
    rng
        The generator that the calling function was given.

    Returns
    -------
    The number of the arm, from 0.
    """
    if book.top[1] == 1 or book.first_ties:
        return int(book.top[0])
    return draw_tied(book.means, book.top[0], book.top[1], rng)


def next_unreported(book: Book, directed: NDArray[np.int64], search: NDArray[np.int64]) -> int:
    """The first arm without a report to which fewest customers were directed; -1 if there is none.

    `search` holds the arm where the last search ended, and the least number of customers then:
    neither that number nor the reports on an arm ever fall, so the arms before it are settled.
    """
    unreported = search[0] > 0  # perhaps one of the arms before
    while True:
        for arm in range(search[0], len(directed)):
            if book.pulls[arm] == 0:
                unreported = True
                if directed[arm] <= search[1]:
                    search[0] = arm
                    return arm
        if not unreported:
            return -1
        unreported = False
        search[0] = 0
        search[1] += 1
