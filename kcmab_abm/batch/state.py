"""What a compiled kernel is given, keeps and gives back: named tuples of arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.book import Book

DONE = 0
BAD_TARGET = 1
BAD_ARM = 2
STOPPED = 3


class World(NamedTuple):
    """What does not change: the arms, the frictions, the checkpoints, the parameters.

    `gaps[i]` is mu_1 - mu_i, and `gaps[-1]` the best mean: what a customer forgoes who leaves.
    """

    root: np.uint64
    horizon: int
    checkpoints: NDArray[np.int64]
    gaps: NDArray[np.float64]
    kinds: NDArray[np.int64]
    rows: NDArray[np.float64]
    first_ties: bool
    report_probability: float
    policy_values: NDArray[np.float64]
    policy_bounds: NDArray[np.int64]
    customer_values: NDArray[np.float64]
    customer_bounds: NDArray[np.int64]


class Streams(NamedTuple):
    """The generators of policy and customers, with the words by which they are restarted."""

    policy: np.random.Generator
    policy_words: NDArray[np.uint64]
    customers: np.random.Generator
    customers_words: NDArray[np.uint64]


class Tapes(NamedTuple):
    """Rewards that an earlier policy has already drawn from the tapes, one row a replication.

    `values[r, i, k]` is the k-th reward of arm i, known for k below `known[r, i]`. A tape is the
    same for every policy, so what is costly to compute is computed once.
    """

    values: NDArray[np.float64]
    known: NDArray[np.int64]


class Block(NamedTuple):
    """The ledger of the customers under way; written over when it is full."""

    targets: NDArray[np.int64]
    offers: NDArray[np.float64]
    arms: NDArray[np.int64]
    rewards: NDArray[np.float64]
    payments: NDArray[np.float64]
    seeded: NDArray[np.bool_]


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
