"""Upper confidence bounds from the Bernoulli divergence.

`textbook_choose` is the algorithm. `choose` promotes the same arms but computes few bounds: as long
as the arm promoted last stays above a limit on the bounds of all other arms, it is promoted again,
and the test takes one comparison instead of a bisection for every arm. Where bounds are needed,
Newton's method finds them; only bounds too close to tell apart are found by the bisection.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book, best_mean, highest
from kcmab_abm.model.divergence import divergence, excess, root_above
from kcmab_abm.model.favourite import FAVOURITE, prefer, reconsider

HALVINGS = 30  # the bound is then known to 1e-9


def upper_bound(mean: float, budget: float) -> float:
    """The largest q >= mean with KL(mean, q) <= budget, by bisection."""
    low = mean
    high = 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle >= 1.0 or divergence(mean, middle) > budget:
            high = middle
        else:
            low = middle
    return low


def budget_of(pulls: int, t: float, horizon: int, params: Any) -> float:
    """How much a report may speak against a mean on average, for an arm with so many reports."""
    customers = horizon - t + 1.0 if params.remaining else t
    each = customers / pulls if params.plus else customers
    budget = math.log(max(each, 1.0))
    if params.c > 0.0:  # ln ln e = 0: only customers 1 and 2 are below e
        budget += params.c * math.log(math.log(max(customers, math.e)))
    return float(params.scale * budget / pulls)


def price_of(arm: int, book: Book, params: Any) -> float:
    """What the least offer for an arm counts for."""
    return float(params.price * (best_mean(book) - book.means[arm]))


def textbook_choose(
    t: int, horizon: int, book: Book, memory: Any, params: Any, rng: Generator
) -> int:
    """Promotes the arm with the highest bound, less what its offer counts for."""
    for arm in range(len(book.means)):
        budget = budget_of(book.pulls[arm], t, horizon, params)
        memory.index[arm] = upper_bound(book.means[arm], budget) - price_of(arm, book, params)
    return highest(memory.index, book, rng)


AHEAD = (
    32  # limits hold for t / AHEAD customers; with fewer they are lower, and recomputed more often
)
SLACK = 1e-7  # more than bisection and the rounding errors of a divergence move a bound
OFF = 2e-8  # how far a bound found by Newton's method may be from the root


@policy(
    "kl-ucb",
    cites="Garivier and Cappe 2011",
    learn=reconsider,
    memory={**FAVOURITE, "until": 1},
    c=Parameter(0.0, "weight of ln ln t; 3 in the analysis, 0 in practice", ge=0.0, le=10.0),
    scale=Parameter(1.0, "factor of the budget; below 1 it explores less", gt=0.0, le=10.0),
    plus=Parameter(False, "budget ln(t / N_i) instead of ln t, as in KL-UCB+"),
    remaining=Parameter(False, "count the customers to come, T - t + 1, instead of t"),
    price=Parameter(
        0.0, "weight of the least offer, by which bounds are reduced", ge=0.0, le=100.0
    ),
)
def choose(t: int, horizon: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Promotes the highest q such that N_i KL(m_i, q) <= scale (ln t + c ln ln t)."""
    if t <= memory.until[0]:
        favourite = int(memory.favourite[0])
        budget = budget_of(book.pulls[favourite], t, horizon, params)
        least = float(memory.limit[0]) + price_of(favourite, book, params) + SLACK
        if is_above(least, float(book.means[favourite]), budget):
            return favourite
    return look(t, horizon, book, memory, params, rng)


def look(t: int, horizon: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Compute all bounds that may be the highest, and the limit for those of the other arms.

    `high` is at least the bound of an arm until customer `until`. Budgets grow with t, or fall if
    `remaining` is set; then every bound is a limit for ever.
    """
    arms = len(book.means)
    if t > memory.until[0]:
        memory.until[0] = math.inf if params.remaining else t + t // AHEAD
        for arm in range(arms):
            memory.high[arm] = math.inf
    last = t if params.remaining else memory.until[0]
    first, best = int(memory.favourite[0]), -math.inf
    for place in range(arms):
        arm = (first + place) % arms
        mean = float(book.means[arm])
        memory.index[arm] = -math.inf
        if memory.high[arm] >= best - SLACK:
            budget = budget_of(book.pulls[arm], t, horizon, params)
            price = price_of(arm, book, params)
            if not is_below(best + price - SLACK, mean, budget):
                memory.index[arm] = near_bound(mean, budget) - price
                best = max(best, memory.index[arm])
    favourite = best_of(t, horizon, best, book, memory, params, rng)
    for arm in range(arms):
        if arm != favourite and memory.high[arm] == math.inf:
            budget = budget_of(book.pulls[arm], last, horizon, params)
            memory.high[arm] = root_above(float(book.means[arm]), budget) + SLACK
    prefer(favourite, memory)
    return favourite


def best_of(
    t: int, horizon: int, best: float, book: Book, memory: Any, params: Any, rng: Generator
) -> int:
    """The arm with the highest bound; those that are close to the best one are computed anew."""
    found, close = 0, 0
    for arm in range(len(book.means)):
        if memory.index[arm] >= best - SLACK:
            found = arm
            close += 1
    if close == 1:
        return found
    mean, pulls, bound = 0.0, 0, 0.0
    for arm in range(len(book.means)):
        if memory.index[arm] < best - SLACK:
            memory.index[arm] = -math.inf
            continue
        if book.means[arm] != mean or book.pulls[arm] != pulls:  # else it has the same bound
            mean, pulls = float(book.means[arm]), int(book.pulls[arm])
            bound = upper_bound(mean, budget_of(pulls, t, horizon, params))
        memory.index[arm] = bound - price_of(arm, book, params)
    return highest(memory.index, book, rng)


def near_bound(mean: float, budget: float) -> float:
    """The bound, or a number at most `OFF` below it."""
    level = root_above(mean, budget) - OFF
    if level <= mean:
        return mean
    return level if is_above(level, mean, budget) else upper_bound(mean, budget)


def is_below(level: float, mean: float, budget: float) -> bool:
    """Whether the bound of an arm with this mean is below a level, for certain."""
    return mean < level < 1.0 and level > 0.0 and excess(mean, level, budget) > 0.0


def is_above(level: float, mean: float, budget: float) -> bool:
    """Whether the bound of an arm with this mean is above a level, for certain."""
    return mean > level or (level < 1.0 and level > 0.0 and excess(mean, level, budget) < 0.0)
