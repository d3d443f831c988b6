"""The same markets in straightforward NumPy: formulas as printed, replications in rows.

One row per replication, one column per arm; all bounds computed for every customer; all sums
carried along. `vectorised.py` is an optimised version.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.model.trajectory import Tally, empty_tally, late_customers

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Books(NamedTuple):
    """The public records of all replications: number and sum of reports."""

    pulls: Floats
    totals: Floats


def ucb(customer: int, books: Books, rng: Generator) -> Ints:
    """The arm with the highest m_i + sqrt(2 ln t / N_i) in every replication."""
    means = books.totals / books.pulls
    return highest(means + np.sqrt(2.0 * np.log(customer) / books.pulls), rng)


def ts(customer: int, books: Books, rng: Generator) -> Ints:
    """The arm with the highest draw from its posterior in every replication."""
    ones = books.totals
    return rng.beta(1.0 + ones, 1.0 + books.pulls - ones).argmax(axis=1)


POLICIES = {"ucb": ucb, "ts": ts}


def highest(values: Floats, rng: Generator) -> Ints:
    """The column of the highest value in every row; ties are broken uniformly at random."""
    top = values == values.max(axis=1, keepdims=True)
    return (top * rng.random(values.shape)).argmax(axis=1)


def run_plain(
    policy: str, means: Floats, horizon: int, replications: int, points: Ints, rng: Generator
) -> Tally:
    """All replications of Bernoulli arms under one policy, added up at the checkpoints."""
    shape = replications, len(means)
    books = Books(np.zeros(shape), np.zeros(shape))
    tally = empty_tally(replications, len(points), len(means))
    sums = np.zeros((replications, 4))
    rows = np.arange(replications)
    checkpoint = 0
    for customer in range(1, horizon + 1):
        payments = np.zeros(replications)
        if customer <= len(means):
            arms = np.full(replications, customer - 1)
            tally.seeded[:] += 1
        else:
            arms = POLICIES[policy](customer, books, rng)
            records = books.totals / books.pulls
            payments = records.max(axis=1) - records[rows, arms]  # greedy customers accept it
            tally.targeted[:] += 1
            tally.accepted[:] += 1
            tally.paid[:] += payments > 0.0
        rewards = rng.random(replications) < means[arms]
        gaps = means.max() - means[arms]
        books.pulls[rows, arms] += 1
        books.totals[rows, arms] += rewards
        tally.payments[rows, arms] += payments
        sums += np.stack([gaps, means.max() - rewards, payments, gaps], axis=1)
        if customer > horizon - late_customers(horizon):
            tally.late_wrong[rows, arms] += gaps > 0.0
        if customer == points[checkpoint]:
            tally.curves[:, checkpoint, :] = sums
            checkpoint += 1
    tally.pulls[:] = books.pulls
    return tally
