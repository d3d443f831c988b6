"""Sobol indices: how much of the variance of a result each setting explains.

The first-order index of a setting is the share of variance that it explains alone; the total index
also counts its interactions with others. A and B are two independent samples of all settings, and
AB_i is A with setting i taken from B (Saltelli et al. 2010). With V the variance,

    first_i = mean(f(B) (f(AB_i) - f(A))) / V          (Saltelli et al. 2010)
    total_i = mean((f(A) - f(AB_i))^2) / (2 V)         (Jansen 1999)

Results of simulations are means over replications, and their noise would add to V and to the total
indices. All three numerators are sums of products of two results. These products are taken over
pairs of two different replications only, whose noise is independent, so that they are unbiased
whether or not points share their random numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kcmab_abm.catalogue.registry import unknown
from kcmab_abm.errors import MarketError
from kcmab_abm.scenario.sampling import SALTELLI
from kcmab_abm.scenario.sweep import Sweep

Floats = NDArray[np.float64]

RESAMPLES = 1000
_SEED = 2010  # of the bootstrap: the same results give the same intervals


@dataclass(frozen=True)
class Indices:
    """Sobol indices, one entry per setting; `*_low` and `*_high` are the ends of intervals."""

    first: Floats
    first_low: Floats
    first_high: Floats
    total: Floats
    total_low: Floats
    total_high: Floats


def sobol_indices(
    a: Floats,
    b: Floats,
    mixed: Floats,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> Indices:
    """Estimate Sobol indices from the results at a Saltelli design.

    Parameters
    ----------
    a, b : ndarray
        The results at the points of A and of B: one row per point and, if results are noisy, one
        column per replication.
    mixed : ndarray
        The results at AB_1, AB_2, ...: the first index is that of the setting.
    confidence : float
        The level of the intervals.
    resamples : int
        The number of bootstrap samples, of points and of replications.

    Returns
    -------
    Indices
        NaN if results do not vary, or no more than their noise.

    Notes
    -----
    Intervals are percentiles of a bootstrap in which base points and replications are drawn anew.
    It takes base points for independent; those of a scrambled Sobol sequence are more even, so that
    intervals are rather too wide.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> a, b = rng.random((2, 4096, 2))
    >>> def f(x):
    ...     return 2.0 * x[:, 0] + x[:, 1]
    >>> mixed = [f(np.column_stack([b[:, 0], a[:, 1]])), f(np.column_stack([a[:, 0], b[:, 1]]))]
    >>> found = sobol_indices(f(a), f(b), np.array(mixed), resamples=10)
    >>> found.first.round(1), found.total.round(1)
    (array([0.8, 0.2]), array([0.8, 0.2]))
    """
    a, b, mixed = (np.asarray(part, np.float64) for part in (a, b, mixed))
    if a.ndim == 1:
        a, b, mixed = a[:, None], b[:, None], mixed[:, :, None]
    both = np.concatenate([a, b])
    centre = both.mean(axis=0)
    a, b, mixed = a - centre, b - centre, mixed - centre
    base, replications = a.shape
    rng = np.random.default_rng(_SEED)
    weights = np.ones((replications, 1))
    if replications > 1:
        drawn = rng.multinomial(replications, np.full(replications, 1.0 / replications), resamples)
        weights = np.concatenate([weights, drawn.T], axis=1)
    first, total, variance = _products(a, b, mixed, weights)
    rows = [np.arange(base), *rng.integers(0, base, (resamples, base))]
    found = np.empty((1 + resamples, 2, len(mixed)))
    for place, chosen in enumerate(rows):
        k = min(place, weights.shape[1] - 1)
        spread = _positive(variance[chosen, k].mean())
        found[place, 0] = first[:, chosen, k].mean(axis=1) / spread
        found[place, 1] = total[:, chosen, k].mean(axis=1) / spread
    tails = [50.0 * (1.0 - confidence), 50.0 * (1.0 + confidence)]
    usable = found[1:][np.isfinite(found[1:]).all(axis=(1, 2))]
    if len(usable) < max(2, resamples // 2):
        low = high = np.full(found[0].shape, np.nan)
    else:
        low, high = np.percentile(usable, tails, axis=0)
    return Indices(found[0, 0], low[0], high[0], found[0, 1], low[1], high[1])


def _products(
    a: Floats, b: Floats, mixed: Floats, weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the products whose means are the numerators and the variance, for each base point.

    The last index is that of the weights of the replications.
    """
    first = _of_pairs(b[None], mixed - a[None], weights)
    change = mixed - a[None]
    total = 0.5 * _of_pairs(change, change, weights)
    variance = 0.5 * (_of_pairs(a, a, weights) + _of_pairs(b, b, weights))
    return first, total, variance


def _of_pairs(one: Floats, other: Floats, weights: Floats) -> Floats:
    """Return the mean product over pairs of different replications; plain if there is only one."""
    if len(weights) == 1:
        return np.asarray((one * other) @ weights)
    squares = weights**2
    sums = weights.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # a sample of one replication only
        pairs = sums**2 - squares.sum(axis=0)
        found = ((one @ weights) * (other @ weights) - (one * other) @ squares) / pairs
    return np.asarray(found)


def _positive(variance: float) -> float:
    return float(variance) if variance > 0.0 else float("nan")


def sensitivity_table(
    plan: Sweep, finals: Sequence[pd.DataFrame], measure: str, confidence: float
) -> pd.DataFrame:
    """Return the indices of all settings of a sweep, one row per policy and setting.

    `finals` are the costs at the end of every run, one table per point.
    """
    sample = plan.sample
    if sample is None or sample.design != SALTELLI:
        found = "the points of a grid or a list" if sample is None else f"design {sample.design!r}"
        raise MarketError(
            "sensitivity needs a sweep with the design 'saltelli', in which settings are exchanged "
            f'one at a time, got {found}; write sample = {{ design = "saltelli", points = 128 }}'
        )
    known = [str(name) for name in finals[0] if name not in ("policy", "replication")]
    if measure not in known:
        raise MarketError(unknown("measure", measure, known))
    rows = []
    for policy, values in _by_policy(finals, measure).items():
        a, b, *mixed = np.split(values, 2 + len(plan.axes))
        columns = asdict(sobol_indices(a, b, np.array(mixed), confidence))
        for place, path in enumerate(plan.axes):
            numbers = {name: float(column[place]) for name, column in columns.items()}
            rows.append({"policy": policy, "measure": measure, "setting": path, **numbers})
    return pd.DataFrame(rows)


def _by_policy(finals: Sequence[pd.DataFrame], measure: str) -> dict[str, Floats]:
    """Return the results of each policy: one row per point, one column per replication."""
    found: dict[str, list[Floats]] = {}
    for table in finals:
        for policy, runs in table.groupby("policy", sort=False):
            found.setdefault(str(policy), []).append(runs[measure].to_numpy(np.float64))
    for policy, rows in found.items():
        if len(rows) < len(finals):
            raise MarketError(
                f"sensitivity needs every policy at every point, but {policy!r} is at "
                f"{len(rows):,} of {len(finals):,}; give the policy a label"
            )
        if len({len(row) for row in rows}) > 1:
            raise MarketError(
                "sensitivity needs the same number of replications at every point; leave out "
                "precision, and do not vary replications"
            )
    return {policy: np.array(rows) for policy, rows in found.items()}
