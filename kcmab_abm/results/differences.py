"""Differences between two samples of runs: paired if they share tapes, else independent."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from kcmab_abm.catalogue.registry import unknown
from kcmab_abm.errors import MarketError
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.results.statistics import Floats, paired_difference, student


def difference_rows(
    first: pd.DataFrame,
    second: pd.DataFrame,
    same_seed: bool,
    confidence: float = 0.95,
    measures: Sequence[str] = (),
) -> list[dict[str, object]]:
    """Second minus first: one row per measure, from tables with one row per replication.

    `measures` are those of the scenarios' own that both have.

    With the same seed, replications with the same number share their tapes; only these are used,
    and the interval is that of the mean difference. Otherwise it is Welch's interval.
    """
    first, second = first.set_index("replication"), second.set_index("replication")
    common = first.index.intersection(second.index)
    paired = same_seed and len(common) > 0
    if paired:
        first, second = first.loc[common], second.loc[common]
    rows: list[dict[str, object]] = []
    for measure in (*CURVES, *measures):
        x, y = (table[measure].to_numpy(float) for table in (first, second))
        row = {"measure": measure, "first": float(x.mean()), "second": float(y.mean())}
        interval = (paired_difference if paired else welch_difference)(y, x, confidence)
        counts = {"first_runs": len(x), "second_runs": len(y)}
        rows.append({**row, **interval, "interval": "paired" if paired else "Welch", **counts})
    return rows


def paired_table(
    policy: str,
    other: str,
    first: pd.DataFrame,
    second: pd.DataFrame,
    measures: Sequence[str],
    confidence: float,
) -> pd.DataFrame:
    """The costs of a policy less those of another: one row per measure.

    From tables with one row per replication, which share their tapes.
    """
    return pd.DataFrame(
        {
            "policy": policy,
            "other": other,
            "measure": measure,
            **paired_difference(
                first[measure].to_numpy(float), second[measure].to_numpy(float), confidence
            ),
        }
        for measure in measures
    )


def checked_pair(labels: list[str], policy: str | None, other: str | None) -> list[str]:
    """Two different policies, both given and known; all of them if none is given."""
    if policy is None and other is None:
        return labels
    if policy is None or other is None:
        raise MarketError(f"paired: give two policies, of {', '.join(labels)}")
    for label in (policy, other):
        if label not in labels:
            raise MarketError(f"paired: {unknown('policy', str(label), labels)}")
    if policy == other:
        raise MarketError(f"paired: {policy!r} cannot be compared with itself; give two policies")
    return [policy, other]


def welch_difference(x: Floats, y: Floats, confidence: float) -> dict[str, object]:
    """The difference of the means of two independent samples, with Welch's interval."""
    mean = float(x.mean() - y.mean())
    se = width = math.nan
    if min(len(x), len(y)) > 1:
        a, b = float(x.var(ddof=1)) / len(x), float(y.var(ddof=1)) / len(y)
        se = width = math.sqrt(a + b)
        if se > 0.0:
            one, other = a / (a + b), b / (a + b)
            freedom = 1.0 / (one**2 / (len(x) - 1) + other**2 / (len(y) - 1))
            width = se * student(confidence, freedom)
    interval = {"difference": mean, "se": se, "low": mean - width, "high": mean + width}
    return {**interval, "variance_saved": math.nan}
