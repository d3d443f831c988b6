"""Offers, the board on which they are posted, and the choice of a customer among them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.model.arithmetic.elementary import normal
from kcmab_abm.model.book import Book, best_mean, first_highest


class Board(NamedTuple):
    """The offers posted for one customer.

    Parameters
    ----------
    target
        The arm that the controller promotes.
    offers
        The payment offered for each arm, 0 for most.
    rivals
        True if arms other than the target may carry offers too.
    """

    target: int
    offers: NDArray[np.float64]
    rivals: bool


def least_offer(book: Book, arm: int) -> float:
    """The least compensation for which a greedy customer takes `arm` (Fact 1): max_j m_j - m_arm.

    Customers judge it by the same subtraction, so rounding cannot make them refuse it:
    m + (max - m) may round to less than max, while max - m always equals itself.
    """
    return float(best_mean(book) - book.means[arm])


LARGEST_OFFER = 1e12


def personal_gap(values: NDArray[np.float64], money: float, arm: int, fees: bool) -> float:
    """The least offer for which a customer with these values takes `arm`.

    She is indifferent if `money` times the offer is what she gives up, max_j v_j - v_arm. If their
    quotient is rounded to less than that, the offer is the next number that is enough. If no offer
    up to 10^12 is, as when money is worth nothing to her, the controller knows that it cannot move
    her: then the gap is 0, as if the arm were her favourite.

    With `fees`, her favourite has a gap below 0, the best of her other values less that of the arm:
    the highest fee for which she still takes it. A single arm has the gap 0.
    """
    best = -np.inf
    for other in range(len(values)):
        if other != arm and values[other] > best:
            best = float(values[other])
    loss = best - float(values[arm]) if len(values) > 1 else 0.0
    if loss < 0.0 and not fees:
        loss = 0.0
    if money == 1.0:
        return loss
    if money * LARGEST_OFFER < abs(loss):
        return 0.0
    offer = loss / money if loss != 0.0 else 0.0
    while money * offer < loss:
        offer = float(np.nextafter(offer, np.inf))
    return offer


def misjudged(gap: float, error: float, rng: Generator, fees: bool) -> float:
    """The controller's estimate of a gap: the gap plus a normal error; without fees at least 0."""
    if error > 0.0:
        gap += error * normal(rng)
        return gap if fees else max(0.0, gap)
    return gap


def is_offer(amount: float, fees: bool) -> bool:
    """Return True if an amount may be offered: a finite number, and without fees at least 0."""
    return (fees or amount >= 0.0) and -np.inf < amount < np.inf


def next_to_offer(book: Book, target: int, offered: NDArray[np.float64]) -> int:
    """The unmarked arm with the fewest reports, other than the target; -1 if there is none."""
    chosen = -1
    for arm in range(len(offered)):
        if (
            arm != target
            and offered[arm] == 0.0
            and (chosen < 0 or book.pulls[arm] < book.pulls[chosen])
        ):
            chosen = arm
    return chosen


def add_adjustments(
    values: NDArray[np.float64], adjustments: NDArray[np.float64], relative: NDArray[np.float64]
) -> None:
    """Add adjustments to values, and fill in the value of each arm relative to the best.

    Relative values are the gap of the values plus the gap of the adjustments, 0 for the best arm.
    So arms with equal adjustments differ by exactly what an offer from the record makes up for;
    the difference of two rounded sums, of value and adjustment, would not.
    """
    best, _ = first_highest(values)
    for arm in range(len(values)):
        if _lead(values, adjustments, arm, best) > 0.0:
            best = arm
    for arm in range(len(values)):
        relative[arm] = _lead(values, adjustments, arm, best)
    for arm in range(len(values)):
        values[arm] += adjustments[arm]


def must_be_finite(values: NDArray[np.float64]) -> None:
    """Refuse values that no decision can compare; nothing is more or less than NaN."""
    for arm in range(len(values)):
        if not -np.inf < values[arm] < np.inf:
            raise ValueError("the value of an arm must be a finite number")


def finite(money: float) -> float:
    """The value of an offer of 1, which must be a number for the same reason."""
    if not -np.inf < money < np.inf:
        raise ValueError("the value of money must be a finite number")
    return money


def _lead(
    values: NDArray[np.float64], adjustments: NDArray[np.float64], arm: int, other: int
) -> float:
    """How much more an arm is worth than another."""
    return float((values[arm] - values[other]) + (adjustments[arm] - adjustments[other]))


def surplus(value: float, offer: float, best: float) -> float:
    """The value of an arm and its offer in excess of `best`, the highest value without offers.

    The least offer gives exactly 0, because it is the same subtraction. The sum `value + offer`
    would be rounded, and equally good offers would no longer be equal.
    """
    return offer - (best - value)


def best_deal(
    values: NDArray[np.float64], money: float, book: Book, board: Board, rng: Generator
) -> int:
    """Return the arm with the highest value plus offer, as seen by one customer.

    When indifferent she takes the target; other ties are broken uniformly at random, and only such
    a tie draws from `rng`.

    Parameters
    ----------
    values
        The value of each arm to her, without offers; only differences count.
    money
        Her value of an offer of 1.
    book
        The public record, which knows how ties are broken.
    board
        The target and the offers.
    rng
        The generator that the calling function was given.

    Returns
    -------
    The number of the arm, from 0.
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
