"""The points of a sampled sweep: each measure against each setting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from kcmab_abm.figures.colours import pens_of
from kcmab_abm.figures.curves import add_legend, shown_measures, spoken
from kcmab_abm.figures.scales import number, ordered, set_scale, short, write_plainly
from kcmab_abm.figures.settings import title_of
from kcmab_abm.figures.style import Pen, panel_grid, set_headline, styled, wrapped
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.scenario.setting_names import setting_name

MOST_SETTINGS = 12  # with panels readable on a page
_IN_A_ROW = 4
_LETTERS = 26  # of the name of a setting
_GOLDEN = 0.618  # its multiples are spread evenly


def draw_scatter(results: SweepResults, *chosen: str) -> Figure | None:
    """One panel per measure and setting; None if more settings vary than fit on a page.

    Of a design for an analysis of sensitivity, only the points of its two independent samples.
    """
    settings = [str(name) for name in results.axes]
    if len(settings) > MOST_SETTINGS:
        return None
    table, plan = results.table, results.scenario.sweep
    if results.has_sensitivity and plan is not None and plan.sample is not None:
        table = table[: 2 * plan.sample.points * len(results.scenario.policies)]
    measures = shown_measures(results.regret_measure, chosen, results.is_bayes)
    palette = pens_of(list(table["policy"].drop_duplicates()))
    ranges = results.scenario.settings["sweep"]
    logarithmic = [name for name in settings if ranges.get(name, {}).get("log") is True]
    columns = min(_IN_A_ROW, len(settings))
    blocks = -(-len(settings) // columns)
    with styled():
        size = (13, 3.4 * blocks * len(measures) + 1.8)
        figure = Figure(figsize=size, layout="constrained")
        parts = figure.subfigures(len(measures), 1, squeeze=False)[:, 0]
        for part, (measure, name) in zip(parts, measures.items(), strict=True):
            panels = panel_grid(part, len(settings), columns)
            for axes, setting in zip(panels, settings, strict=True):
                names = ordered(table[setting])
                for label, pen in palette.items():
                    rows = table[table["policy"] == label]
                    _draw_points(axes, rows[setting], rows[measure], pen, names)
                _scale_setting(axes, table[setting], names, setting in logarithmic)
                axes.set_xlabel(wrapped(setting_name(results.scenario, setting), _LETTERS))
                scale = set_scale(axes, "y", table[measure].to_numpy())
            for axes in panels[::columns]:
                axes.set_ylabel(f"{spoken(name)} at the end{scale}")
        set_headline(figure, f"{title_of(results)}\none marker per point: a mean over runs")
        add_legend(figure, palette, lines=False)
    return figure


def _draw_points(
    axes: Axes, values: pd.Series[Any], means: Any, pen: Pen, names: list[Any]
) -> None:
    """The points of one policy; values with labels stand side by side, slightly spread."""
    places = values.to_numpy()
    if not pd.api.types.is_numeric_dtype(values):
        apart = 0.3 * (np.arange(len(values)) * _GOLDEN % 1.0 - 0.5)
        places = np.array([names.index(value) for value in values]) + apart
    axes.plot(places, means, pen.marker, color=pen.colour, markersize=4, alpha=0.6)


def _scale_setting(axes: Axes, values: pd.Series[Any], names: list[Any], is_log: bool) -> None:
    """A scale for the values of a setting, as the points are spread over its range."""
    if not pd.api.types.is_numeric_dtype(values):
        axes.set_xticks(range(len(names)), [short(name, 12) for name in names])
        axes.set_xlim(-0.5, len(names) - 0.5)
        return
    axes.xaxis.set_major_locator(MaxNLocator(4))
    if is_log:
        axes.set_xscale("log")
        write_plainly(axes.xaxis)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
