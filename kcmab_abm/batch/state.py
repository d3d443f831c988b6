"""The input, state and output of a compiled kernel, as named tuples of arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.clock import Clock, ClockStreams
from kcmab_abm.model.book import Book
from kcmab_abm.model.budget import Purse
from kcmab_abm.model.change import Changes
from kcmab_abm.model.timing import Timing
from kcmab_abm.model.trajectory import Tally

DONE = 0
STOPPED = 1
REFUSED = 2  # invalid arm, offer, reward or report
SUSPECT = 3  # done, but the processor's flags report invalid arithmetic
CROWDED = 4  # more reports may be pending than there is room for


class World(NamedTuple):
    """The constants of a run: arms, frictions, checkpoints, parameters.

    `horizon` customers are simulated; agents are told of `announced`. `gaps[i]` is mu_1 - mu_i, and
    `gaps[-1]` is the best mean, the loss of a customer who leaves. Each agent has its parameters
    (`values`), its initial memory (`start`) and the bounds of the arrays in it (`bounds`). The
    policy may have read-only tables. A `selective` disclosure is any but the full one.
    """

    root: np.uint64
    horizon: int
    announced: int
    checkpoints: NDArray[np.int64]
    gaps: NDArray[np.float64]
    kinds: NDArray[np.int64]
    rows: NDArray[np.float64]
    report_probability: float
    steady: bool
    changes: Changes
    timing: Timing | None
    means: NDArray[np.float64]
    also: int
    misjudgement: float
    fees: bool
    policy_values: NDArray[np.float64]
    policy_start: NDArray[np.float64]
    policy_bounds: NDArray[np.int64]
    policy_tables: tuple[NDArray[Any], ...] | None
    customer_values: NDArray[np.float64]
    customer_start: NDArray[np.float64]
    customer_bounds: NDArray[np.int64]
    price_values: NDArray[np.float64]
    price_start: NDArray[np.float64]
    price_bounds: NDArray[np.int64]
    selective: bool
    disclosure_values: NDArray[np.float64]
    disclosure_start: NDArray[np.float64]
    disclosure_bounds: NDArray[np.int64]


class Streams(NamedTuple):
    """The generators of policy, customers and so on, with the state words that restart them.

    `clock` is None, like `State.clock` and `World.timing`, if nothing takes time.
    """

    policy: np.random.Generator
    policy_words: NDArray[np.uint64]
    customers: np.random.Generator
    customers_words: NDArray[np.uint64]
    offers: np.random.Generator
    offers_words: NDArray[np.uint64]
    disclosure: np.random.Generator
    disclosure_words: NDArray[np.uint64]
    clock: ClockStreams | None = None


class Block(NamedTuple):
    """The ledger of the current block of customers; overwritten by the next block.

    `taken`, `regrets` and `best` are empty if arms do not change: the mean of the arm taken, its
    regret, and what the best single arm would have earned so far. `beside` and `beside_offers` have
    one column for each offer on an arm other than the target. `kinds` and `values`, the customer's
    kind and what the arm taken is worth to her, are empty unless a measure asks for one of them.
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
    kinds: NDArray[np.int64]
    values: NDArray[np.float64]


class State(NamedTuple):
    """The state that changes from customer to customer.

    `shown` is what customers see of the book: the book itself unless the disclosure is selective.
    `values` and `money` are what the arms and a payment of 1 are worth to the current customer, if
    the controller knows that.
    """

    book: Book
    shown: Book
    keys: NDArray[np.uint64]
    pulled: NDArray[np.int64]
    directed: NDArray[np.int64]
    offers: NDArray[np.float64]
    unreported: NDArray[np.int64]
    search: NDArray[np.int64]
    policy_memory: NDArray[np.float64]
    customer_memory: NDArray[np.float64]
    price_memory: NDArray[np.float64]
    disclosure_memory: NDArray[np.float64]
    purse: Purse
    marks: NDArray[np.float64]
    means: NDArray[np.float64]
    earned: NDArray[np.float64]
    draws: NDArray[np.float64]
    row: NDArray[np.float64]
    values: NDArray[np.float64]
    money: NDArray[np.float64]
    clock: Clock | None


class Counting(NamedTuple):
    """The scenario's own measures of customers: their parameters, and what is counted.

    `kinds` has the numbers of the kinds of customers as a file counts them. `counts[line, m]` is
    what a customer of the block adds to measure m, and `sums[m]` the sum over the current
    replication.
    """

    values: NDArray[np.float64]
    kinds: NDArray[np.int64]
    counts: NDArray[np.float64]
    sums: NDArray[np.float64]


class Drawn(NamedTuple):
    """Random markets: the means and the numbers of all arms, by replication.

    Both are empty if means are given. The market of a replication is copied into the `World`.
    """

    means: NDArray[np.float64]
    rows: NDArray[np.float64]


class Job(NamedTuple):
    """Replications `first`, `first + 1`, ..., as many as the tally has entries.

    `sums` belongs to the current replication. `control[0]` is set from outside to stop the job;
    `control[1]` counts the customers served. The streams are passed separately, because numba
    infers the type of any tuple with a generator at every call, which takes a third of a
    millisecond.
    """

    world: World
    state: State
    block: Block
    sums: NDArray[np.float64]
    tally: Tally
    control: NDArray[np.int64]
    first: int
    drawn: Drawn


class Markets(NamedTuple):
    """Markets side by side: `states` is a `State` whose arrays have one row per market.

    `words` holds the random streams of each market while others use the generators. `status` is
    that of each market's last customer, STOPPED while she is being served, and `affordable` the
    largest offer that can be made to the next one.
    """

    states: State
    words: NDArray[np.uint64]
    status: NDArray[np.int64]
    affordable: NDArray[np.float64]
