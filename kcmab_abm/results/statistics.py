"""Regret, compensation and other statistics of a set of runs, with intervals.

Memory does not grow with customers times replications: every run arrives reduced to its sums at the
checkpoints, and arms are reduced to their moments.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from kcmab_abm.model.trajectory import CURVES, Tally, empty_tally, is_locked_in

Floats = NDArray[np.float64]

FINALS = ("regret", "compensation", "realised_regret", "dynamic_regret")  # as tables order them
QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}
PAIRED = ["policy", "other", "measure", "difference", "se", "low", "high", "variance_saved"]
_EVEN, _GEOMETRIC = 50, 40
_BLOCK = 256  # replications per partial sum
_KEPT = ("curves", "seeded", "targeted", "accepted", "paid", "left", "late_wrong", "waited")


def checkpoints(horizon: int) -> NDArray[np.int64]:
    """The customers after whom curves are recorded: evenly and geometrically spaced ones.

    >>> checkpoints(4)
    array([1, 2, 3, 4])
    """
    even = np.linspace(horizon / _EVEN, horizon, _EVEN)
    geometric = np.geomspace(1, horizon, _GEOMETRIC)
    return np.unique(np.ceil(np.concatenate([even, geometric]) - 1e-9).astype(np.int64))


@dataclass(frozen=True)
class _Sums:
    """Count, mean and sum of squared deviations of some rows."""

    count: int
    mean: Floats
    squares: Floats

    def joined(self, rows: Floats) -> _Sums:
        """These sums with more rows added (Chan, Golub and LeVeque 1983)."""
        count, mean = len(rows), rows.mean(axis=0)
        squares = ((rows - mean) ** 2).sum(axis=0)
        if self.count == 0:
            return _Sums(count, mean, squares)
        total = self.count + count
        gap = mean - self.mean
        return _Sums(
            total,
            self.mean + gap * (count / total),
            self.squares + squares + gap**2 * (self.count * count / total),
        )


class Moments:
    """Mean and variance of a vector over replications, added in chunks of any size and order.

    Rows are summed in order, in blocks that begin at fixed replications; rows that arrive early
    wait. The sums therefore do not depend on how replications are divided into chunks.
    """

    def __init__(self, width: int) -> None:
        self._sums = _Sums(0, np.zeros(width), np.zeros(width))
        self._rows = np.empty((0, width))  # the incomplete block
        self._waiting: dict[int, Floats] = {}

    def add(self, first: int, rows: Floats) -> None:
        """Add the rows of consecutive replications, the first of which is `first`."""
        self._waiting[first] = rows
        while self.count in self._waiting:
            rows = np.concatenate([self._rows, self._waiting.pop(self.count)])
            whole = len(rows) // _BLOCK * _BLOCK
            for start in range(0, whole, _BLOCK):
                self._sums = self._sums.joined(rows[start : start + _BLOCK])
            self._rows = rows[whole:].copy()

    @property
    def count(self) -> int:
        """The number of replications added, without those that wait."""
        return self._sums.count + len(self._rows)

    @property
    def mean(self) -> Floats:
        """The mean over replications."""
        return self._all().mean

    @property
    def squares(self) -> Floats:
        """The sum of squared deviations from the mean."""
        return self._all().squares

    @property
    def se(self) -> Floats:
        """The standard error of the mean."""
        sums = self._all()
        if sums.count < 2:
            return np.full_like(sums.mean, np.nan)
        return np.sqrt(sums.squares / (sums.count - 1) / sums.count)

    def _all(self) -> _Sums:
        return self._sums.joined(self._rows) if len(self._rows) else self._sums


class Runs:
    """All replications of one policy, reduced to what is reported."""

    def __init__(self, points: int, arms: int, measures: tuple[str, ...] = ()) -> None:
        nothing = empty_tally(0, points, arms, len(measures))
        self.measures = measures  # of the scenario's own
        self.columns = (*CURVES, *measures)
        self.curves = nothing.curves
        self.seeded = nothing.seeded
        self.targeted = nothing.targeted
        self.accepted = nothing.accepted
        self.paid = nothing.paid
        self.left = nothing.left
        self.late_wrong = nothing.late_wrong[:, 0]  # of the most popular wrong arm
        self.waited = nothing.waited
        self.pulls = Moments(arms)
        self.payments = Moments(arms)

    def __len__(self) -> int:
        return len(self.seeded)

    def grow(self, replications: int) -> None:
        """Make room for more replications."""
        for name in _KEPT:
            old = getattr(self, name)
            new = np.empty((replications, *old.shape[1:]), old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)

    def add(self, first: int, tally: Tally) -> None:
        """Add a chunk of replications; chunks may arrive in any order."""
        here = slice(first, first + len(tally.seeded))
        for name in _KEPT:
            array = getattr(tally, name)
            getattr(self, name)[here] = array.max(axis=1) if name == "late_wrong" else array
        self.pulls.add(first, tally.pulls.astype(np.float64))
        self.payments.add(first, tally.payments)

    def final(self, measure: str) -> Floats:
        """The measure at the end of every replication."""
        values: Floats = self.curves[:, -1, self.columns.index(measure)]
        return values

    def locked_in(self, horizon: int) -> NDArray[np.bool_]:
        """True for runs in which nine in ten of the last customers took the same wrong arm."""
        return is_locked_in(self.late_wrong, horizon)

    def digest(self) -> bytes:
        """A fingerprint of every number."""
        arrays = [
            *(getattr(self, name) for name in _KEPT),
            self.pulls.mean,
            self.pulls.squares,
            self.payments.mean,
            self.payments.squares,
        ]
        summary = hashlib.sha256()
        for array in arrays:
            summary.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).data)
        return summary.digest()


def runs_digest(runs: Mapping[str, Runs]) -> str:
    """A fingerprint of the runs of all policies, by their labels."""
    summary = hashlib.sha256()
    for label, each in runs.items():
        summary.update(label.encode() + each.digest())
    return summary.hexdigest()


def joined_digest(digests: Iterable[str]) -> str:
    """A fingerprint of all points of a sweep."""
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def standard_error(values: Floats) -> float:
    """The standard error of the mean; NaN for a single value."""
    if len(values) < 2:
        return float("nan")
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def half_width(se: Floats | float, count: int, confidence: float) -> Floats | float:
    """Half the width of Student's confidence interval for a mean."""
    if count < 2:
        return se * np.nan
    return se * student(confidence, count - 1)


def student(confidence: float, freedom: float) -> float:
    """Student's quantile: half the width of an interval, in standard errors."""
    return float(stdtrit(freedom, 0.5 + confidence / 2))


def summary_row(
    label: str, runs: Runs, horizon: int, cost: float, confidence: float
) -> dict[str, object]:
    """The summary of one policy: means with standard errors, intervals and quantiles."""
    row: dict[str, object] = {"policy": label}
    count = len(runs)
    for measure in (*FINALS, *runs.measures):
        final = runs.final(measure)
        mean, se = float(final.mean()), standard_error(final)
        width = half_width(se, count, confidence)
        row |= {measure: mean, f"{measure}_se": se}
        row |= {f"{measure}_low": mean - width, f"{measure}_high": mean + width}
        if measure != "realised_regret":
            quantiles = np.quantile(final, list(QUANTILES.values()))
            row |= {f"{measure}_{q}": v for q, v in zip(QUANTILES, quantiles.tolist(), strict=True)}
    targeted = int(runs.targeted.sum())
    locked = int(runs.locked_in(horizon).sum())
    from scipy.stats import binomtest  # late, because the import is slow

    interval = binomtest(locked, count).proportion_ci(confidence, method="wilson")
    return row | {
        "seeding": float((runs.seeded * cost).mean()),
        "acceptance": int(runs.accepted.sum()) / targeted if targeted else float("nan"),
        "paid_customers": float(runs.paid.mean()),
        "left": float(runs.left.mean()) / horizon,
        "mean_wait": float(runs.waited.mean()) / horizon,
        "locked_in": locked / count,
        "locked_in_low": float(interval.low),
        "locked_in_high": float(interval.high),
        "replications": count,
    }


def curve_table(
    label: str, runs: Runs, points: NDArray[np.int64], confidence: float
) -> pd.DataFrame:
    """Mean, interval and quantiles of every measure of one policy at every checkpoint."""
    tables = []
    for place, measure in enumerate(runs.columns):
        values = runs.curves[:, :, place]
        known = ~np.isnan(values[0])  # measures of whole runs are known at the end only
        columns = {"policy": label, "customer": points[known], "measure": measure}
        tables.append(statistics_table(values[:, known], columns, confidence))
    return pd.concat(tables, ignore_index=True)


def statistics_table(
    values: Floats, columns: dict[str, object], confidence: float = 0.95
) -> pd.DataFrame:
    """Mean, interval and quantiles over replications: one row per column of `values`."""
    count = len(values)
    mean = values.mean(axis=0)
    se = values.std(axis=0, ddof=1) / np.sqrt(count) if count > 1 else np.full_like(mean, np.nan)
    width = half_width(se, count, confidence)
    quantiles = np.quantile(values, list(QUANTILES.values()), axis=0)
    spread = dict(zip(QUANTILES, quantiles, strict=True))
    interval = {"mean": mean, "se": se, "low": mean - width, "high": mean + width}
    return pd.DataFrame({**columns, **interval, **spread})


def paired_rows(runs: dict[str, Runs], confidence: float) -> list[dict[str, object]]:
    """Differences between policies on the same tapes, for every pair and measure.

    `variance_saved` is the variance reduction compared with independent markets,
    1 - Var(a - b) / (Var a + Var b). It is negative where pairing hurts.
    """
    rows: list[dict[str, object]] = []
    for (first, a), (second, b) in itertools.combinations(runs.items(), 2):
        for measure in a.columns:
            row = {"policy": first, "other": second, "measure": measure}
            rows.append(row | paired_difference(a.final(measure), b.final(measure), confidence))
    return rows


def paired_difference(x: Floats, y: Floats, confidence: float) -> dict[str, object]:
    """The mean of x - y over pairs of runs on the same tapes, with its interval."""
    gap = x - y
    count, se = len(gap), standard_error(gap)
    width = half_width(se, count, confidence)
    apart = float(x.var(ddof=1) + y.var(ddof=1)) if count > 1 else 0.0
    saved = 1.0 - float(gap.var(ddof=1)) / apart if apart > 0.0 else float("nan")
    mean = float(gap.mean())
    interval = {"difference": mean, "se": se, "low": mean - width, "high": mean + width}
    return {**interval, "variance_saved": saved}
