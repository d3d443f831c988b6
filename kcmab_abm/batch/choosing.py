"""The arm that a policy promotes for every record of two Bernoulli arms.

This file is a template like `kernel.py`: `compile.py` executes it for every policy, with the names
under `Supplied` set. `choices.py` calls `fill_shares`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.options import compiled_entry, compiled_inside
from kcmab_abm.model.book import Book, find_top
from kcmab_abm.model.customer import STRANGER

if TYPE_CHECKING:  # Supplied
    from collections.abc import Callable

    from kcmab_abm.batch.choices import Asking

    choose: Callable[..., int]
    learn: Callable[..., None]
    policy_params: Callable[..., Any]
    policy_memory: Callable[..., Any]
    policy_tables: Callable[..., Any]


NO_ARM = -1.0  # the policy promoted an arm that does not exist
DRAWN = -2.0  # the policy drew although ties are not broken at random


@compiled_inside
def ask(asking: Asking, rng: np.random.Generator, first_ties: bool) -> tuple[int, bool]:
    """The arm that is promoted, and whether the policy drew; from a memory without a past."""
    each = asking.book
    book = Book(each.pulls, each.totals, each.means, each.top, each.behind, first_ties)
    params = policy_params(asking.values)
    for place in range(len(asking.start)):
        asking.memory[place] = asking.start[place]
    memory = policy_memory(asking.memory, asking.bounds)
    for place in range(len(asking.fresh)):
        asking.words[place] = asking.fresh[place]
    reports = book.pulls[0] + book.pulls[1]
    for arm in range(2):
        learn(reports, arm, 0.0, book, memory, params, rng)
    tables = policy_tables(asking.tables)
    purse = asking.purse
    chosen = choose(
        reports + 1, asking.horizon, book, book, STRANGER, purse, tables, memory, params, rng
    )
    drew = False
    for place in range(len(asking.fresh)):
        drew |= asking.words[place] != asking.fresh[place]
    return chosen, drew


@compiled_inside
def share_of(asking: Asking, rng: np.random.Generator, n1: int, s1: int, n2: int, s2: int) -> float:
    """The probability that arm 1 is promoted: 0, 1/2 or 1; or a reason why there is none.

    The first draw of the generator breaks a tie in favour of arm 2.
    """
    book = asking.book
    book.pulls[0], book.pulls[1] = n1, n2
    book.totals[0], book.totals[1] = s1, s2
    book.means[0], book.means[1] = s1 / n1, s2 / n2
    find_top(book)
    last, drew = ask(asking, rng, False)
    first = last
    if drew:
        first, drew = ask(asking, rng, True)
        if drew:
            return DRAWN
    if last < 0 or last > 1 or first < 0 or first > 1:
        return NO_ARM
    return 1.0 - 0.5 * (first + last)


@compiled_entry
def fill_shares(
    asking: Asking,
    rng: np.random.Generator,
    n1: int,
    n2: int,
    chances: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> tuple[int, int]:
    """Fill in the shares of arm 1 for every s1 and s2 that has a chance.

    Returns the first record without a share, or -1, -1.
    """
    for s1 in range(n1 + 1):
        for s2 in range(n2 + 1):
            if chances[s1, s2] == 0.0:
                continue
            shares[s1, s2] = share_of(asking, rng, n1, s1, n2, s2)
            if shares[s1, s2] < 0.0:
                return s1, s2
    return -1, -1
