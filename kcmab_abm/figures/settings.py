"""A sweep's results against what it varied: lines for one setting, heat maps for two."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullFormatter

from kcmab_abm.figures.curves import add_legend, palette_for, shown_measures
from kcmab_abm.figures.heat import draw_heat
from kcmab_abm.figures.scales import is_wide, number, ordered, set_scale, short
from kcmab_abm.figures.style import Pen, styled
from kcmab_abm.sweeps import SweepResults

_MOST_TICKS = 12


def draw_settings(results: SweepResults) -> Figure | None:
    """Lines if one setting varies, heat maps if two do and every combination was run."""
    values = {str(name): ordered(column) for name, column in results.axes.items()}
    varied = [name for name, each in values.items() if len(each) > 1]
    if len(varied) == 1:
        return _draw_lines(results, varied[0])
    if len(varied) == 2 and len(results.points) == len(values[varied[0]]) * len(values[varied[1]]):
        across, up = sorted(varied, key=lambda name: -len(values[name]))
        return draw_heat(results, across, up, title_of(results))
    return None


def title_of(results: SweepResults) -> str:
    """The scenario's title, and the size of the sweep."""
    return f"{results.scenario.title or 'Sweep'}\n{results.size}"


def _draw_lines(results: SweepResults, axis: str) -> Figure:
    table = results.table
    palette = palette_for(list(table["policy"].drop_duplicates()))
    numeric = pd.api.types.is_numeric_dtype(table[axis]) and bool(table[axis].notna().all())
    draw = _draw_numbers if numeric else _draw_categories
    with styled():
        height = 5.6 + 0.32 * -(-len(palette) // 3)
        figure = Figure(figsize=(13, height), layout="constrained")
        measures = shown_measures(results.regret_measure)
        for axes, (measure, name) in zip(figure.subplots(1, 2), measures.items(), strict=True):
            draw(axes, table, axis, measure, palette)
            axes.set_title(f"{name}: mean and 95 % interval")
            scale = set_scale(axes, "y", table[measure].to_numpy())
            axes.set_ylabel(f"{name.lower()} at the end{scale}")
            axes.set_xlabel(axis + (", logarithmic" if axes.get_xscale() == "log" else ""))
        figure.suptitle(title_of(results), fontsize=17)
        add_legend(figure, palette, lines=numeric)
    return figure


def _draw_numbers(
    axes: Axes, table: pd.DataFrame, axis: str, measure: str, palette: dict[str, Pen]
) -> None:
    for label, pen in palette.items():
        rows = table[table["policy"] == label].sort_values(axis)
        low, high = rows[f"{measure}_low"], rows[f"{measure}_high"]
        axes.fill_between(rows[axis], low, high, color=pen.colour, alpha=0.2, lw=0)
        axes.plot(
            rows[axis],
            rows[measure],
            color=pen.colour,
            linestyle=pen.dashes,
            linewidth=2.5,
            marker=pen.marker,
            markersize=6,
        )
    values = ordered(table[axis])
    axes.xaxis.set_major_locator(MaxNLocator(6))
    if is_wide(values) and values[0] > 0:
        axes.set_xscale("log")  # with ticks of its own
        axes.xaxis.set_minor_formatter(NullFormatter())
        if len(values) <= _MOST_TICKS:
            axes.xaxis.set_major_locator(FixedLocator(values))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def _draw_categories(
    axes: Axes, table: pd.DataFrame, axis: str, measure: str, palette: dict[str, Pen]
) -> None:
    """Side by side and not joined: there is nothing between two categories."""
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
    axes.set_xticks(range(len(values)), [short(value) for value in values])
    axes.set_xlim(-0.5, len(values) - 0.5)
    axes.grid(axis="x", visible=False)


def interval_arms(rows: pd.DataFrame, measure: str) -> np.ndarray:
    """How far the interval reaches below and above the mean; nought where there is none."""
    below = rows[measure] - rows[f"{measure}_low"]
    above = rows[f"{measure}_high"] - rows[measure]
    return np.nan_to_num([below, above])
