"""Figures of results at the size that a journal or a slide asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kcmab_abm.catalogue.registry import unknown
from kcmab_abm.errors import MarketError
from kcmab_abm.figures import outcome, settings
from kcmab_abm.figures.frontier import MOST_WORLDS, draw_worlds, worlds_of
from kcmab_abm.figures.points import draw_curves_at
from kcmab_abm.figures.style import look_of
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.results.points import point_results
from kcmab_abm.results.results import Results
from kcmab_abm.results.sweep_results import SweepResults

Whole = Results | SweepResults


def figure(
    results: Whole,
    *,
    measures: Sequence[str],
    ax: Axes | None,
    across: str | None = None,
    at: Mapping[str, Any] | None = None,
    **size: Any,
) -> Figure:
    """Costs of a run, along it and at its end; of a sweep, against a setting."""
    look = look_of(**size)
    measures = _checked(results, measures, ax)
    if isinstance(results, SweepResults):
        return settings.draw_lines(results, *measures, across=across, at=at, look=look, ax=ax)
    if across or at:
        raise MarketError("across, at: are for sweeps; these are the results of a single scenario")
    if ax is not None or look.is_slide:  # there is no room for the distribution at the end
        return outcome.draw_over_time(results, *measures, look=look, ax=ax)
    return outcome.draw_outcome(results, *measures, look=look)


def curves_figure(
    results: Whole,
    *,
    measures: Sequence[str],
    ax: Axes | None,
    at: Mapping[str, Any] | None,
    **size: Any,
) -> Figure:
    """Costs along the run, of a sweep in a row of panels for every point."""
    look = look_of(**size)
    measures = _checked(results, measures, ax)
    if isinstance(results, SweepResults):
        return draw_curves_at(results, *measures, at=at, look=look, ax=ax)
    if at:
        raise MarketError("at: is for sweeps; these are the results of a single scenario")
    return outcome.draw_over_time(results, *measures, look=look, ax=ax)


def frontier(
    results: Whole,
    *,
    by: str | Sequence[str] | None,
    at: Mapping[str, Any] | None,
    ax: Axes | None,
    **size: Any,
) -> Figure:
    """Regret against compensation, one panel per market."""
    look = look_of(**size)
    if isinstance(results, Results):
        results = SweepResults(
            results.scenario, pd.DataFrame(index=range(1)), (point_results(results),)
        )
    worlds = worlds_of(results, [by] if isinstance(by, str) else by, at)
    if max(len(world.table) for world in worlds) < 2:
        raise MarketError("frontier: no market has two points or policies to compare")
    if len(worlds) > MOST_WORLDS:
        raise MarketError(
            f"frontier: would have {len(worlds):,} panels, one for each market; at most "
            f"{MOST_WORLDS} fit. Hold settings at one value: at={{'the path': value}}"
        )
    return draw_worlds(results, worlds, look, ax)


def _checked(results: Whole, measures: Sequence[str], ax: Axes | None) -> tuple[str, ...]:
    """The measures to draw, if the results have them; into axes somebody else made, only one."""
    known = [*CURVES, *results.scenario.measures.names]
    for name in measures:
        if name not in known:
            raise MarketError(f"measures: {unknown('measure', name, known)}")
    if ax is not None and not measures:
        return (results.regret_measure,)
    return tuple(measures)
