"""What a compiled kernel is given, keeps and gives back: named tuples of arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.book import Book
from kcmab_abm.changes import Changes
from kcmab_abm.purse import Purse

DONE = 0
BAD_TARGET = 1
BAD_ARM = 2
STOPPED = 3
BAD_OFFER = 4


class World(NamedTuple):
    """What does not change: the arms, the frictions, the checkpoints, the parameters.

    `gaps[i]` is mu_1 - mu_i, and `gaps[-1]` the best mean: what a customer forgoes who leaves. Each
    agent has its parameters (`values`), the memory with which a replication begins (`start`) and
    where the arrays in it end (`bounds`).
    """

    root: np.uint64
    horizon: int
    checkpoints: NDArray[np.int64]
    gaps: NDArray[np.float64]
    kinds: NDArray[np.int64]
    rows: NDArray[np.float64]
    report_probability: float
    steady: bool
    changes: Changes
    means: NDArray[np.float64]
    also: int
    error: float
    policy_values: NDArray[np.float64]
    policy_start: NDArray[np.float64]
    policy_bounds: NDArray[np.int64]
    customer_values: NDArray[np.float64]
    customer_start: NDArray[np.float64]
    customer_bounds: NDArray[np.int64]
    price_values: NDArray[np.float64]
    price_start: NDArray[np.float64]
    price_bounds: NDArray[np.int64]


class Streams(NamedTuple):
    """The generators of policy, customers and offers, with the words that restart them."""

    policy: np.random.Generator
    policy_words: NDArray[np.uint64]
    customers: np.random.Generator
    customers_words: NDArray[np.uint64]
    offers: np.random.Generator
    offers_words: NDArray[np.uint64]


class Tapes(NamedTuple):
    """Rewards that an earlier policy has already drawn from the tapes, one row a replication.

    `values[r, i, k]` is the k-th reward of arm i, known for k below `known[r, i]`. A tape is the
    same for every policy, so what is costly to compute is computed once.
    """

    values: NDArray[np.float64]
    known: NDArray[np.int64]


class Block(NamedTuple):
    """The ledger of the customers under way; written over when it is full.

    `taken`, `regrets` and `best` are empty where arms do not change: the mean of the arm taken,
    what it falls short of the best of the moment, and what the best single arm would have earned so
    far. The last two have a column for each offer beside that on the target.
    """

    targets: NDArray[np.int64]
    offers: NDArray[np.float64]
    arms: NDArray[np.int64]
    rewards: NDArray[np.float64]
    payments: NDArray[np.float64]
    seeded: NDArray[np.bool_]
    taken: NDArray[np.float64]
    regrets: NDArray[np.float64]
    best: NDArray[np.float64]
    beside: NDArray[np.int64]
    beside_offers: NDArray[np.float64]


class State(NamedTuple):
    """What changes from customer to customer."""

    book: Book
    keys: NDArray[np.uint64]
    pulled: NDArray[np.int64]
    directed: NDArray[np.int64]
    offers: NDArray[np.float64]
    unreported: NDArray[np.int64]
    policy_memory: NDArray[np.float64]
    customer_memory: NDArray[np.float64]
    price_memory: NDArray[np.float64]
    purse: Purse
    marks: NDArray[np.float64]
    means: NDArray[np.float64]
    earned: NDArray[np.float64]
    draws: NDArray[np.float64]
    row: NDArray[np.float64]
