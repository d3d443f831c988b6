"""The trajectory of one replication, and sums over a set of replications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CURVES = ("regret", "realised_regret", "compensation", "dynamic_regret")
LARGEST_COUNT = 1e100  # of a measure, so that sums and their squares stay finite
LATE = 1000  # a lock-in is judged by at most this many customers at the end of a run


@dataclass(frozen=True)
class Trajectory:
    """One replication, customer by customer.

    Every array has one entry per customer, in order of arrival. Arms are numbered from 0.

    Parameters
    ----------
    clock
        The times of arrival.
    targets
        The arms that the controller promoted.
    offers
        The offers posted on the targets.
    arms
        The arms taken; -1 for a customer who left.
    rewards
        The rewards drawn, 0 for a customer who left.
    payments
        The compensation paid, without seeding costs.
    regrets
        The highest current mean less that of the arm taken.
    seeded
        True for customers who were directed to an arm because some arm had no report yet.
    waits
        The time spent in a queue.
    beside
        The other arms with an offer, one column per offer; -1 for none.
    beside_offers
        The offers on these arms.
    counts
        What each customer adds to the scenario's measures of customers, one column per measure.
    """

    clock: Floats
    targets: Ints
    offers: Floats
    arms: Ints
    rewards: Floats
    payments: Floats
    regrets: Floats
    seeded: NDArray[np.bool_]
    waits: Floats
    beside: Ints
    beside_offers: Floats
    counts: Floats = field(default_factory=lambda: np.empty((0, 0)))

    def __len__(self) -> int:
        return len(self.arms)

    def __repr__(self) -> str:
        return (
            f"Trajectory({len(self):,} customers, regret {self.regrets.sum():.4g}, "
            f"compensation {self.payments.sum():.4g})"
        )

    def _repr_html_(self) -> str:
        """A table of the first and last customers, for notebooks."""
        return f"<p>{self!r}</p>{self.frame().to_html(max_rows=10)}"

    def frame(self) -> pd.DataFrame:
        """Return the trajectory as a table.

        Returns
        -------
        One row per customer, numbered from 1, with the columns clock, target, offer, arm, reward,
        payment, regret, seeded and wait.
        """
        columns = {
            "clock": self.clock,
            "target": self.targets,
            "offer": self.offers,
            "arm": self.arms,
            "reward": self.rewards,
            "payment": self.payments,
            "regret": self.regrets,
            "seeded": self.seeded,
            "wait": self.waits,
        }
        customers = pd.RangeIndex(1, len(self) + 1, name="customer")
        return pd.DataFrame(columns, index=customers)


class Tally(NamedTuple):
    """Sums over the customers of each replication; the first index is the replication.

    `curves[r, c, m]` is measure `CURVES[m]` after the c-th checkpoint; the scenario's own measures
    follow, those of whole runs with NaN before the last one. The other fields cover the whole run:
    the customers `seeded`, those `targeted` afterwards, those of them who `accepted` the target,
    who were `paid`, who `left`, the late customers who took each arm while another was better, the
    total waiting time, and the number of pulls of each arm and the payments for it.
    """

    curves: Floats
    seeded: Ints
    targeted: Ints
    accepted: Ints
    paid: Ints
    left: Ints
    late_wrong: Ints
    waited: Floats
    pulls: Ints
    payments: Floats


def part_of(tally: Tally, first: int, last: int) -> Tally:
    """The entries `first` to `last - 1` of a tally."""
    arrays: list[Any] = [array[first:last] for array in tally]
    return Tally(*arrays)


def empty_tally(replications: int, checkpoints: int, arms: int, measures: int = 0) -> Tally:
    """A tally of zeros, with room for so many measures of the scenario's own."""
    return Tally(
        curves=np.zeros((replications, checkpoints, len(CURVES) + measures)),
        seeded=np.zeros(replications, np.int64),
        targeted=np.zeros(replications, np.int64),
        accepted=np.zeros(replications, np.int64),
        paid=np.zeros(replications, np.int64),
        left=np.zeros(replications, np.int64),
        late_wrong=np.zeros((replications, arms), np.int64),
        waited=np.zeros(replications),
        pulls=np.zeros((replications, arms), np.int64),
        payments=np.zeros((replications, arms)),
    )


def tally(
    run: Trajectory,
    means: Floats,
    checkpoints: Ints,
    path: Floats | None = None,
    of_run: Sequence[float] = (),
) -> Tally:
    """The tally of one trajectory, added in the same order as in the compiled engine.

    `means` are the true means; if they change, `path` has them customer by customer. `of_run` are
    the scenario's measures of this whole run.
    """
    pulled = run.arms >= 0
    dynamic = np.cumsum(run.regrets)
    if path is None:
        regret = dynamic
        realised = np.cumsum(means.max() - run.rewards)
    else:
        best = np.cumsum(path, axis=0).max(axis=1)
        taken = np.where(pulled, path[np.arange(len(run)), run.arms], 0.0)
        regret = best - np.cumsum(taken)
        realised = best - np.cumsum(run.rewards)
    sums = [regret, realised, np.cumsum(run.payments), dynamic]
    # Compiled sums begin with 0.0, which makes a sum of -0.0 positive.
    sums += [np.cumsum(column) + 0.0 for column in run.counts.T]
    sums += [np.where(np.arange(1, len(run) + 1) == len(run), each, np.nan) for each in of_run]
    asked = ~run.seeded
    arms = run.arms[pulled]
    return Tally(
        curves=np.stack([each[checkpoints - 1] for each in sums], axis=1)[None],
        seeded=_count(run.seeded),
        targeted=_count(asked),
        accepted=_count(asked & (run.arms == run.targets)),
        paid=_count(run.payments > 0.0),
        left=_count(~pulled),
        late_wrong=late_wrong(run, len(means))[None, :],
        waited=np.array([run.waits.sum()]),
        pulls=np.bincount(arms, minlength=len(means))[None, :].astype(np.int64),
        payments=_sums(arms, run.payments[pulled], len(means)),
    )


def late_customers(horizon: int) -> int:
    """The number of customers at the end by whom a lock-in is judged.

    >>> [late_customers(horizon) for horizon in (1, 5, 1999, 2000, 10_000)]
    [1, 3, 1000, 1000, 1000]
    """
    return min(LATE, (horizon + 1) // 2)


def late_wrong(run: Trajectory, arms: int = 1) -> Ints:
    """The number of late customers who chose each arm while another was better.

    Customers who left or were seeded do not count. There are at least `arms` entries.
    """
    late = slice(len(run) - late_customers(len(run)), None)
    wrong = (run.regrets[late] > 0.0) & (run.arms[late] >= 0) & ~run.seeded[late]
    return np.bincount(run.arms[late][wrong], minlength=arms).astype(np.int64)


def is_locked_in(wrong: Ints, horizon: int) -> NDArray[np.bool_]:
    """True where at least nine in ten late customers took this one wrong arm.

    So continued exploration and occasional errors do not hide a lock-in, and customers who switch
    among several arms are not locked in on any.
    """
    locked: NDArray[np.bool_] = 10 * wrong >= 9 * late_customers(horizon)
    return locked


def _sums(arms: Ints, amounts: Floats, count: int) -> Floats:
    sums: Floats = np.bincount(arms, weights=amounts, minlength=count)[None, :].astype(np.float64)
    return sums


def _count(flags: NDArray[np.bool_]) -> Ints:
    return np.array([flags.sum()], np.int64)
