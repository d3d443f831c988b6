"""Expected costs of controllers of two Bernoulli arms, by induction over their records.

After t reports the state is (n1, s1, n2, s2): the reports on each arm, n1 + n2 = t, and how many of
them were ones. The optimal controller is found backwards: the costs for t reports are computed from
those for t + 1. A given one is followed forwards, from the probabilities of the records with t
reports to those with t + 1. Each table overwrites the one before.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHARE = 0.8  # of a machine's memory; the rest is for the system and other programs


class Block(NamedTuple):
    """The records with `n1` and `n2` reports, and what compiled code needs to know of them.

    `here` has their costs or probabilities, and those for one more report on arm 2; `after` has
    those for one more report on arm 1. The axes are all costs and payments, or the state of the
    controller's memory, then s1 and s2. `first` and `second` are the expected rewards of both arms
    for every s1 and s2; `lead` and `behind` are the empirical means, times the price.
    """

    n1: int
    n2: int
    here: Floats
    after: Floats
    first: Floats
    second: Floats
    lead: Floats
    behind: Floats


def expected_costs(
    horizon: int, price: float, a: float, b: float, promote: Callable[[Block], None]
) -> tuple[float, float]:
    """Bayes regret and price x compensation of the controller whose costs `promote` computes."""
    tables = new_tables(horizon, 2)
    for block in _blocks(tables, price, a, b, range(horizon - 1, 1, -1)):
        promote(block)
    total, paid = np.einsum("kij,ij->k", tables[0][:, :2, :2], _first_two(a, b))
    return float(_regret(horizon, a, b, paid - total)), float(paid)


def expected_play(
    horizon: int,
    states: int,
    a: float,
    b: float,
    promote: Callable[[Block], tuple[float, float]],
) -> tuple[float, float]:
    """Bayes regret and compensation of the controller that `promote` follows through each block.

    Its memory has one of so many states, and begins in the first.
    """
    tables = new_tables(horizon, states)
    tables[0][0, :2, :2] = _first_two(a, b)
    earned = paid = 0.0
    for block in _blocks(tables, 1.0, a, b, range(2, horizon)):
        if block.here[:, : block.n1 + 1, : block.n2 + 1].any():
            reward, payment = promote(block)
            earned += reward
            paid += payment
    return _regret(horizon, a, b, earned), paid


def _blocks(
    tables: list[Floats], price: float, a: float, b: float, customers: range
) -> Iterator[Block]:
    """The blocks of records before each of these customers comes, with n1 falling or rising.

    A block is overwritten by that for one more report on arm 2. So backwards, n1 rises, and the
    block for one more report on arm 1 is still there; forwards, n1 falls, and it is there already.
    """
    priors = [_posterior_means(reports, a, b) for reports in range(len(tables) + 1)]
    records = [price * record_means(max(1, reports)) for reports in range(len(tables) + 1)]
    for reports in customers:
        for n1 in range(1, reports)[:: -customers.step]:
            n2 = reports - n1
            pair = tables[n1 - 1], tables[n1]
            yield Block(n1, n2, *pair, priors[n1], priors[n2], records[n1], records[n2])


def _first_two(a: float, b: float) -> Floats:
    """The probabilities of the records after the first two customers, one per arm."""
    mean = a / (a + b)
    return np.outer([1.0 - mean, mean], [1.0 - mean, mean])


def _regret(horizon: int, a: float, b: float, earned: float) -> float:
    """The Bayes regret, from what all but the first two customers earn; these earn a mean each."""
    return horizon * expected_best(a, b) - 2.0 * a / (a + b) - earned


def check_setting(horizon: int, a: float, b: float) -> None:
    """Refuse a horizon or a prior outside its range."""
    if horizon < 2:
        raise ValueError(f"the horizon must be >= 2, one customer per arm, got {horizon}")
    for name, parameter in (("a", a), ("b", b)):
        if not 0.0 < parameter < math.inf:
            raise ValueError(f"{name} must be a finite number > 0, got {parameter}")


def expected_best(a: float, b: float) -> float:
    """The expected mean of the better of two arms with independent Beta(a, b) priors.

    >>> round(expected_best(1.0, 1.0), 12)
    0.666666666667
    """
    from scipy.special import betaln

    # E max = 2 E theta P(theta' > theta) with theta' ~ Beta(a + 1, b), which is 1/2 + h/a.
    h = math.exp(float(betaln(2.0 * a, 2.0 * b) - 2.0 * betaln(a, b)))
    return 2.0 * a / (a + b) * (0.5 + h / a)


def new_tables(horizon: int, layers: int) -> list[Floats]:
    """Tables of zeros, one for each number of reports on arm 1, by layer, s1 and s2.

    Each has as many columns as it ever needs, for the largest number of reports on arm 2.
    """
    check_memory(horizon, layers)
    return [np.zeros((layers, n1 + 1, horizon - n1 + 1)) for n1 in range(1, horizon)]


def needed_bytes(horizon: int, layers: int = 2) -> int:
    """The memory of the tables for this horizon, about 4/3 T^3 bytes per layer.

    >>> [round(needed_bytes(horizon) / 1e6) for horizon in (100, 500, 1000)]
    [3, 337, 2683]
    """
    return 8 * layers * (math.comb(horizon + 3, 3) - 2 * (horizon + 1))


def check_memory(horizon: int, layers: int = 2) -> None:
    """Refuse a horizon whose tables need more memory than this machine can spare."""
    memory = machine_memory()
    if memory is None or needed_bytes(horizon, layers) <= SHARE * memory:
        return
    # The other terms only add to 4/3 T^3.
    largest = int((3.0 / 4.0 * SHARE * memory / layers) ** (1.0 / 3.0))
    while needed_bytes(largest, layers) > SHARE * memory:
        largest -= 1
    raise MemoryError(
        f"horizon {horizon:,}: the tables of the induction take "
        f"{needed_bytes(horizon, layers) / 1e9:,.1f} GB; allowed are {SHARE:.0%} of this "
        f"machine's {memory / 1e9:,.1f} GB of memory; use a horizon of at most {largest:,}"
    )


def machine_memory() -> int | None:
    """The bytes of memory of this machine; None if the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def record_means(reports: int) -> Floats:
    """The empirical means that so many reports can have, with 0, 1, ... ones."""
    return np.arange(reports + 1, dtype=np.float64) / reports


def _posterior_means(reports: int, a: float, b: float) -> Floats:
    """The expected reward after so many reports, with 0, 1, ... ones."""
    return (a + np.arange(reports + 1, dtype=np.float64)) / (a + b + reports)
