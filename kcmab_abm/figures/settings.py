"""A sweep's results against the swept settings: lines for one, heat maps for two."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from kcmab_abm.figures.curves import (
    add_legend,
    draw_band,
    legend_rows,
    palette_for,
    shown_measures,
    spoken,
)
from kcmab_abm.figures.heat import draw_heat
from kcmab_abm.figures.scales import is_wide, number, ordered, set_scale, short, write_plainly
from kcmab_abm.figures.style import Pen, set_headline, styled
from kcmab_abm.results.sweep_results import SweepResults

_MOST_TICKS = 12
_PANEL = 6.5  # inches
_LETTERS = 8, 18  # least and most in a line of a category's name


def draw_settings(results: SweepResults, *chosen: str) -> Figure | None:
    """Lines if one setting varies, heat maps if two do and every combination was run.

    Of the chosen measures, by default of regret and compensation.
    """
    measures = shown_measures(results.regret_measure, chosen, results.is_bayes)
    values = {str(name): ordered(column) for name, column in results.axes.items()}
    varied = [name for name, each in values.items() if len(each) > 1]
    if len(varied) == 1:
        return _draw_lines(results, varied[0], measures)
    if len(varied) == 2 and len(results.points) == len(values[varied[0]]) * len(values[varied[1]]):
        across, up = sorted(varied, key=lambda name: -len(values[name]))
        return draw_heat(results, across, up, title_of(results), measures)
    return None


def title_of(results: SweepResults) -> str:
    """The scenario's title, and the size of the sweep."""
    return f"{results.scenario.title or 'Sweep'}\n{results.size}"


def _draw_lines(results: SweepResults, axis: str, measures: dict[str, str]) -> Figure:
    table = results.table
    palette = palette_for(list(table["policy"].drop_duplicates()))
    numeric = pd.api.types.is_numeric_dtype(table[axis]) and bool(table[axis].notna().all())
    draw = _draw_numbers if numeric else _draw_categories
    with styled():
        height = 5.6 + 0.32 * legend_rows(palette)
        size = (max(7.0, _PANEL * len(measures)), height)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(1, len(measures), squeeze=False)[0]
        for axes, (measure, name) in zip(panels, measures.items(), strict=True):
            draw(axes, table, axis, measure, palette)
            axes.set_title(f"{name}: mean and 95 % interval")
            scale = set_scale(axes, "y", table[measure].to_numpy())
            axes.set_ylabel(f"{spoken(name)} at the end{scale}")
            axes.set_xlabel(axis + (" (log scale)" if axes.get_xscale() == "log" else ""))
        set_headline(figure, title_of(results))
        add_legend(figure, palette, lines=numeric)
    return figure


def _draw_numbers(
    axes: Axes, table: pd.DataFrame, axis: str, measure: str, palette: dict[str, Pen]
) -> None:
    for label, pen in palette.items():
        rows = table[table["policy"] == label].sort_values(axis)
        low, high = rows[f"{measure}_low"], rows[f"{measure}_high"]
        marks = {"marker": pen.marker, "markersize": 6}
        draw_band(axes, rows[axis], rows[measure], (low, high), pen, **marks)
    values = ordered(table[axis])
    axes.xaxis.set_major_locator(MaxNLocator(6))
    if is_wide(values) and values[0] > 0:
        axes.set_xscale("log")
        write_plainly(axes.xaxis)
        steps = np.diff(np.log(values))
        if len(values) <= _MOST_TICKS and steps.min() > steps.sum() / _MOST_TICKS:
            axes.xaxis.set_major_locator(FixedLocator(values))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def _draw_categories(
    axes: Axes, table: pd.DataFrame, axis: str, measure: str, palette: dict[str, Pen]
) -> None:
    """Markers side by side, not joined, because nothing lies between two categories."""
    values = ordered(table[axis])
    places = {repr(value): place for place, value in enumerate(values)}
    shifts = np.linspace(-0.25, 0.25, len(palette)) if len(palette) > 1 else [0.0]
    for shift, (label, pen) in zip(shifts, palette.items(), strict=True):
        rows = table[table["policy"] == label]
        axes.errorbar(
            [places[repr(value)] + shift for value in rows[axis]],
            rows[measure],
            yerr=interval_arms(rows, measure),
            color=pen.colour,
            linestyle="none",
            marker=pen.marker,
            markersize=9,
            elinewidth=2.5,
            capsize=6,
        )
    # Letters are 0.6 of their height wide, and the panel 0.8 of its share of the figure.
    letters = int(0.8 * _PANEL * 72.0 / (0.6 * 13.0) / len(values))
    letters = min(_LETTERS[1], max(_LETTERS[0], letters))
    axes.set_xticks(range(len(values)), [short(value, letters) for value in values])
    axes.set_xlim(-0.5, len(values) - 0.5)
    axes.grid(axis="x", visible=False)


def interval_arms(rows: pd.DataFrame, measure: str) -> np.ndarray:
    """The distances of the interval's ends from the mean; 0 if there is no interval."""
    below = rows[measure] - rows[f"{measure}_low"]
    above = rows[f"{measure}_high"] - rows[measure]
    return np.nan_to_num([below, above])
