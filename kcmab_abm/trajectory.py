"""What one replication did, customer by customer, and what a set of replications adds up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CURVES = ("regret", "realised_regret", "compensation", "dynamic_regret")
LATE = 1000  # customers at the end of a run by whom a lock-in is judged


@dataclass(frozen=True)
class Trajectory:
    """One market from the first customer to the last, as the accountant wrote it down.

    Every array has one entry a customer, in the order of arrival. Arms are numbered from 0; an
    entry of `arms` is -1 where the customer left without pulling. `offers` are those posted on the
    target; `regrets` are what the best arm of the moment promised beyond the arm taken; `waits` are
    how long customers stood in line. `seeded` marks the customers whom the controller directed
    because some arm had no report yet: they are paid the seeding cost, which is kept out of
    `payments`. `beside` has a column for each arm that carries an offer beside the target (-1 where
    none does), `beside_offers` what is offered for it.
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

    def __len__(self) -> int:
        return len(self.arms)

    def frame(self) -> pd.DataFrame:
        """The trajectory as a table, one row a customer, customers numbered from 1."""
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
    """Sums over the customers of some replications, one leading entry a replication.

    `curves[r, c, m]` is measure `CURVES[m]` after the c-th checkpoint. The rest holds for the
    whole run: customers seeded, customers targeted after that, those of them who took the target,
    customers who were paid, customers who left without pulling, customers among the last thousand
    on a wrong arm, the time that all spent in line, and for each arm how often it was pulled and
    what was paid for it.
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
    """The replications `first` to `last - 1` of a tally, counted within it."""
    arrays: list[Any] = [array[first:last] for array in tally]
    return Tally(*arrays)


def empty_tally(replications: int, checkpoints: int, arms: int) -> Tally:
    """A tally with nothing in it yet."""
    return Tally(
        curves=np.zeros((replications, checkpoints, len(CURVES))),
        seeded=np.zeros(replications, np.int64),
        targeted=np.zeros(replications, np.int64),
        accepted=np.zeros(replications, np.int64),
        paid=np.zeros(replications, np.int64),
        left=np.zeros(replications, np.int64),
        late_wrong=np.zeros(replications, np.int64),
        waited=np.zeros(replications),
        pulls=np.zeros((replications, arms), np.int64),
        payments=np.zeros((replications, arms)),
    )


def tally(run: Trajectory, means: Floats, checkpoints: Ints, path: Floats | None = None) -> Tally:
    """Add up one trajectory, customer after customer, as the compiled engine does.

    `means` are the true means; where they change, `path` has them customer by customer.
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
    asked = ~run.seeded
    arms = run.arms[pulled]
    return Tally(
        curves=np.stack([each[checkpoints - 1] for each in sums], axis=1)[None],
        seeded=_count(run.seeded),
        targeted=_count(asked),
        accepted=_count(asked & (run.arms == run.targets)),
        paid=_count(run.payments > 0.0),
        left=_count(~pulled),
        late_wrong=_count(late_wrong(run)),
        waited=np.array([run.waits.sum()]),
        pulls=np.bincount(arms, minlength=len(means))[None, :].astype(np.int64),
        payments=_sums(arms, run.payments[pulled], len(means)),
    )


def late_wrong(run: Trajectory) -> NDArray[np.bool_]:
    """Which of the last thousand customers took a wrong arm, or left."""
    wrong: NDArray[np.bool_] = (run.regrets[-LATE:] > 0.0) | (run.arms[-LATE:] < 0)
    return wrong


def is_locked_in(wrong: Ints, horizon: int) -> NDArray[np.bool_]:
    """Which runs ended on a wrong arm, given how many of the last thousand customers took one."""
    locked: NDArray[np.bool_] = 2 * wrong > min(LATE, horizon)
    return locked


def _sums(arms: Ints, amounts: Floats, count: int) -> Floats:
    sums: Floats = np.bincount(arms, weights=amounts, minlength=count)[None, :].astype(np.float64)
    return sums


def _count(flags: NDArray[np.bool_]) -> Ints:
    return np.array([flags.sum()], np.int64)
