"""The same markets in optimised NumPy: replications side by side, a loop over customers.

Written as well as possible without a compiler: arrays with one row per arm and one column per
replication, so that maxima over arms run along memory; entries addressed by their index in the flat
array; widths and posteriors updated for the pulled arm only; ties handled only where they occur;
curves computed at the checkpoints only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.model.trajectory import Tally, empty_tally, late_customers

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Books(NamedTuple):
    """The public records of all replications, and the state of the policies."""

    pulls: Floats
    totals: Floats
    means: Floats
    payments: Floats
    widths: Floats
    successes: Floats
    failures: Floats


def ucb(customer: int, books: Books, rng: Generator) -> Ints:
    """The arm with the highest m_i + sqrt(2 ln t / N_i) in every replication."""
    index = books.means + np.sqrt(2.0 * np.log(customer)) * books.widths
    return highest(index, rng)


def learn_ucb(places: Ints, rewards: Floats, books: Books) -> None:
    """Keep 1 / sqrt(N_i)."""
    books.widths.ravel()[places] = 1.0 / np.sqrt(books.pulls.ravel()[places])


def ts(customer: int, books: Books, rng: Generator) -> Ints:
    """The arm with the highest draw from its posterior in every replication."""
    return rng.beta(books.successes, books.failures).argmax(axis=0)


def learn_ts(places: Ints, rewards: Floats, books: Books) -> None:
    """Count ones and zeros; for 0-1 rewards no coin has to be tossed."""
    books.successes.ravel()[places] += rewards
    books.failures.ravel()[places] += 1.0 - rewards


POLICIES: dict[str, tuple[Callable[..., Ints], Callable[..., None]]] = {
    "ucb": (ucb, learn_ucb),
    "ts": (ts, learn_ts),
}


def highest(values: Floats, rng: Generator) -> Ints:
    """The row of the highest value in every column; ties are broken uniformly at random."""
    top = values == values.max(axis=0)
    winners = top.argmax(axis=0)
    if np.count_nonzero(top) > len(winners):
        tied = np.flatnonzero(top.sum(axis=0) > 1)
        keys = rng.random((len(values), len(tied))) * top[:, tied]
        winners[tied] = keys.argmax(axis=0)
    return winners


def run_vectorised(
    policy: str, means: Floats, horizon: int, replications: int, points: Ints, rng: Generator
) -> Tally:
    """All replications of Bernoulli arms under one policy, added up at the checkpoints."""
    choose, learn = POLICIES[policy]
    books = new_books(len(means), replications)
    tally = empty_tally(replications, len(points), len(means))
    gaps = means.max() - means
    columns = np.arange(replications)
    checkpoint = 0
    for customer in range(1, horizon + 1):
        if customer <= len(means):
            arms = np.full(replications, customer - 1)
            payments = np.zeros(replications)
        else:
            targets = choose(customer, books, rng)
            arms, payments = served(targets, books, columns, rng)
            tally.accepted[:] += arms == targets
            tally.paid[:] += payments > 0.0
        rewards = (rng.random(replications) < means[arms]).astype(np.float64)
        places = arms * replications + columns
        record(places, rewards, payments, books)
        learn(places, rewards, books)
        if customer > horizon - late_customers(horizon):
            tally.late_wrong[columns, arms] += gaps[arms] > 0.0
        if customer == points[checkpoint]:
            tally.curves[:, checkpoint, :] = curves(customer, means, gaps, books)
            checkpoint += 1
    tally.seeded[:] = min(len(means), horizon)
    tally.targeted[:] = horizon - tally.seeded
    tally.pulls[:] = books.pulls.T
    tally.payments[:] = books.payments.T
    return tally


def served(targets: Ints, books: Books, columns: Ints, rng: Generator) -> tuple[Ints, Floats]:
    """The choices and payments of greedy customers with the least offer on the target.

    An indifferent customer takes the target.
    """
    lacks = books.means.max(axis=0) - books.means.ravel()[targets * len(columns) + columns]
    offers = lacks
    takes = offers >= lacks
    if takes.all():
        return targets, offers
    return np.where(takes, targets, highest(books.means, rng)), np.where(takes, offers, 0.0)


def record(places: Ints, rewards: Floats, payments: Floats, books: Books) -> None:
    """Write one report per replication into its book."""
    pulls, totals = books.pulls.ravel(), books.totals.ravel()
    pulls[places] += 1.0
    totals[places] += rewards
    books.means.ravel()[places] = totals[places] / pulls[places]
    books.payments.ravel()[places] += payments


def curves(customer: int, means: Floats, gaps: Floats, books: Books) -> Floats:
    """Regret, realised regret, compensation and dynamic regret, one row per replication."""
    regret = gaps @ books.pulls
    realised = customer * means.max() - books.totals.sum(axis=0)
    return np.stack([regret, realised, books.payments.sum(axis=0), regret], axis=1)


def new_books(arms: int, replications: int) -> Books:
    """Empty books and uniform priors."""
    shape = (arms, replications)
    zeros = [np.zeros(shape) for _ in range(5)]
    return Books(*zeros, np.ones(shape), np.ones(shape))
