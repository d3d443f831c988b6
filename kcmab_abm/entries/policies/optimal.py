"""The controller of two Bernoulli arms with the least Bayes regret + price x compensation.

Before the first customer, the best arm to promote is computed for every record, by backward
induction from the horizon. The controller looks up its table. The arms have the same prior, so a
record and the one with exchanged arms are one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.catalogue.needs import Needs
from kcmab_abm.model.book import Book, leader

Floats = NDArray[np.float64]

# Where several controllers are optimal, this addition to the price selects one with the least
# compensation. The costs of that controller exceed the minimum by at most TIE x compensation.
TIE = 1e-9


def starts(arms: int, given: Mapping[str, Any]) -> NDArray[np.int64]:
    """Where in `bits` the records with `few` and `many` reports begin, at few x horizon + many."""
    horizon = given["horizon"]
    found = np.zeros(horizon * horizon, np.int64)
    place = 0
    for few, many in _blocks(horizon):
        found[few * horizon + many] = place
        place += _bytes(few, many)
    return found


def bits(arms: int, given: Mapping[str, Any]) -> NDArray[np.uint8]:
    """For every record, a bit that is set if the arm with fewer reports is promoted."""
    horizon, a, b = given["horizon"], given["prior_a"], given["prior_b"]
    price = given["price"] + TIE
    places = starts(arms, given)
    found = np.zeros(sum(_bytes(*block) for block in _blocks(horizon)), np.uint8)
    # The costs of the rest of the horizon, for `few` reports on one arm and as many as are left.
    costs = [np.zeros((few + 1, horizon - few + 1)) for few in range(1, horizon // 2 + 1)]
    for few, many in _blocks(horizon):
        ones = [np.arange(reports + 1.0) for reports in (few, many)]
        p, q = ((a + s) / (a + b + n) for s, n in zip(ones, (few, many), strict=True))
        lead = price * (ones[0][:, None] / few - ones[1] / many)
        explored = _after(costs, few + 1, many, p[:, None]) - np.minimum(lead, 0.0)
        other = _after(costs, many + 1, few, q[:, None]).T + np.maximum(lead, 0.0)
        place = places[few * horizon + many]
        is_less = np.packbits(explored <= other, bitorder="little")
        found[place : place + len(is_less)] = is_less
        costs[few - 1][:, : many + 1] = np.minimum(explored, other)
    return found


def _after(costs: list[Floats], one: int, two: int, p: Floats) -> Floats:
    """The costs of one more report on an arm, which then has `one`, by its ones and the other's."""
    few, many = min(one, two), max(one, two)
    after = costs[few - 1][:, : many + 1]
    after = after if one == few else after.T
    return p * (after[1:] - 1.0) + (1.0 - p) * after[:-1]


def _blocks(horizon: int) -> list[tuple[int, int]]:
    """All numbers of reports, the smaller one first, in the order of the induction."""
    return [
        (few, reports - few)
        for reports in range(horizon - 1, 1, -1)
        for few in range(1, reports // 2 + 1)
    ]


def _bytes(few: int, many: int) -> int:
    return math.ceil((few + 1) * (many + 1) / 8)


@policy(
    "optimal",
    cites="Jacko 2019 computes the Bayes-optimal bandit in this way",
    tables={"starts": starts, "bits": bits},
    needs=Needs(2, "bernoulli", 500, "its table has about T^4 / 48 bits"),
    price=Parameter(1.0, "weight of compensation, against regret", ge=0.0, le=1e6),
    prior_a=Parameter(1.0, "first parameter of the Beta prior of both means", gt=0.0, le=1e6),
    prior_b=Parameter(1.0, "second parameter of the Beta prior of both means", gt=0.0, le=1e6),
)
def choose(horizon: int, book: Book, tables: Any, rng: Generator) -> int:
    """Promotes the arm with the least expected regret + price x compensation to the end."""
    few, many = 0, 1
    if book.pulls[0] == book.pulls[1] and book.totals[0] == book.totals[1]:
        return leader(book, rng)
    if book.pulls[0] > book.pulls[1] or (
        book.pulls[0] == book.pulls[1] and book.totals[0] > book.totals[1]
    ):
        few, many = 1, 0
    start = tables.starts[book.pulls[few] * horizon + book.pulls[many]]
    place = int(book.totals[few]) * (book.pulls[many] + 1) + int(book.totals[many])
    bit = int(tables.bits[start + place // 8]) >> (place % 8)
    return few if bit % 2 == 1 else many
