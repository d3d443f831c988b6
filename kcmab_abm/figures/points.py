"""Curves over customers at the points of a sweep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kcmab_abm.errors import MarketError
from kcmab_abm.figures.colours import pens_of
from kcmab_abm.figures.curves import draw_curves, shown_measures, spoken
from kcmab_abm.figures.panels import finish, new_panels
from kcmab_abm.figures.settings import (
    INTERVALS,
    MOST_ROWS,
    point_label,
    title_of,
    varied_settings,
)
from kcmab_abm.figures.style import SCREEN, Look, set_panel_title, set_ylabel, styled
from kcmab_abm.results.sweep_results import SweepResults


def draw_curves_at(
    results: SweepResults,
    *chosen: str,
    at: Mapping[str, Any] | None = None,
    look: Look = SCREEN,
    ax: Axes | None = None,
) -> Figure:
    """One row of panels per point, one column per measure."""
    places = np.flatnonzero(results.points_at(at)).tolist()
    varied = varied_settings(results)
    if len(places) > MOST_ROWS or not places:
        raise MarketError(
            f"the figure would have {len(places)} rows of panels, one for each point; from 1 to "
            f"{MOST_ROWS} fit. Hold settings at one value, as in at={{{varied[0]!r}: ...}}"
        )
    measures = shown_measures(results.regret_measure, chosen, results.is_bayes)
    palette = pens_of(results.labels)
    with styled(look):
        count = len(places) * len(measures)
        figure, panels = new_panels(look, count, palette, ax, len(measures))
        for number, axes in enumerate(panels):
            place, measure = places[number // len(measures)], [*measures][number % len(measures)]
            curves = results.points[place].curves
            table = curves[curves["measure"] == measure]
            if table.empty:
                raise MarketError(f"measure {measure!r}: is known at the end only, not along a run")
            draw_curves(axes, table, palette)
            row = results.axes.iloc[place].to_dict()
            set_panel_title(axes, point_label(results, row, varied))
            set_ylabel(axes, f"{spoken(measures[measure])} so far")
        if ax is None:
            finish(figure, palette, title_of(results, look), look, note=INTERVALS)
    return figure
