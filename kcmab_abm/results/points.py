"""The points of a sweep: what is kept of each, and how one is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kcmab_abm.errors import MarketError
from kcmab_abm.results.results import Results, Used
from kcmab_abm.scenario.paths import look_up, steps, written
from kcmab_abm.scenario.precision import Standing
from kcmab_abm.scenario.setting_names import find_setting
from kcmab_abm.scenario.sweep import Sweep

_MOST_SHOWN = 8  # values in a message


@dataclass(frozen=True)
class PointResults:
    """The results at one point, as small tables without curves of single replications."""

    settings: Mapping[str, Any]
    regret_measure: str
    engines: dict[str, Used]
    digest: str
    summary: pd.DataFrame
    finals: pd.DataFrame
    curves: pd.DataFrame
    standings: list[Standing]
    replications: int


def point_results(results: Results) -> PointResults:
    """Reduce the results of one point to what a sweep keeps."""
    return PointResults(
        settings=results.scenario.settings,
        regret_measure=results.regret_measure,
        engines=results.engines,
        digest=results.digest(),
        summary=results.summary(),
        finals=results.finals(),
        curves=results.curves(),
        standings=results.standings(),
        replications=results.replications,
    )


def axes_table(plan: Sweep, points: Sequence[PointResults]) -> pd.DataFrame:
    """The swept settings: one row per point, one column per setting."""
    columns = {}
    for path in plan.axes:
        name = "policies" if path == "policy" else path  # `policy` is a column of every table
        columns[name] = _column(
            [
                point.get(path, look_up(each.settings, steps(path)))
                for point, each in zip(plan.shown, points, strict=True)
            ]
        )
    return pd.DataFrame(columns)


def _column(values: list[Any]) -> list[Any]:
    """Numbers or strings unchanged; any other column as it is written in a scenario file."""
    given = [value for value in values if value is not None]
    plain = all(isinstance(value, str) for value in given) or all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in given
    )
    return values if plain else [None if value is None else written(value) for value in values]


def points_with(axes: pd.DataFrame, at: Mapping[str, Any]) -> NDArray[np.bool_]:
    """True for the points whose settings have these values, by path or last words."""
    here = np.ones(len(axes), bool)
    for given, value in at.items():
        name = find_setting([str(axis) for axis in axes], given)
        found = np.array([_is_same(each, value) for each in axes[name]], bool)
        if not found.any():
            shown = ", ".join(written(each) for each in axes[name].drop_duplicates()[:_MOST_SHOWN])
            raise MarketError(f"{name}: no point has the value {value!r}; there are {shown}")
        here &= found
    return here


def point_number(axes: pd.DataFrame, at: int | Mapping[str, Any]) -> int:
    """The number of the one point that is meant, counted from 1."""
    if isinstance(at, int):
        if not 1 <= at <= len(axes):
            raise MarketError(f"there is no point {at}; there are 1 to {len(axes)}")
        return at
    found = np.flatnonzero(points_with(axes, at))
    if len(found) != 1:
        raise MarketError(
            f"{len(found)} points have {written(dict(at))}; give a value for each of "
            f"{', '.join(map(str, axes))}"
        )
    return int(found[0]) + 1


def _is_same(value: Any, wanted: Any) -> bool:
    """True if a table shows this value; numbers may be of any type, tables as in a file."""
    if value is None or isinstance(wanted, dict | list):
        return value is not None and bool(value == written(wanted))
    return bool(value == wanted) or value == written(wanted)
