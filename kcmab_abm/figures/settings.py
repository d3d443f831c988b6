"""A sweep's results against the swept settings, as lines or heat maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from kcmab_abm.errors import MarketError
from kcmab_abm.figures.colours import pens_of
from kcmab_abm.figures.curves import (
    draw_band,
    shown_measures,
    spoken,
)
from kcmab_abm.figures.heat import draw_heat
from kcmab_abm.figures.panels import finish, new_panels
from kcmab_abm.figures.scales import is_wide, number, ordered, set_scale, short, write_plainly
from kcmab_abm.figures.style import (
    SCREEN,
    Look,
    Pen,
    panel_inches,
    set_panel_title,
    set_ylabel,
    sized,
    styled,
    wrapped,
)
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.scenario.setting_names import find_setting, setting_name, short_names

INTERVALS = "means with 95 % intervals"
MOST_ROWS = 9  # of panels, which fill a page
_TICK = 1.0  # inches with room for two ticks of a logarithmic axis
_LETTERS = 8, 18  # least and most in a line of a category's name


def draw_settings(results: SweepResults, *chosen: str) -> Figure | None:
    """Lines if one setting varies, heat maps if two do and every combination was run.

    Of the chosen measures, by default of regret and compensation.
    """
    measures = shown_measures(results.regret_measure, chosen, results.is_bayes)
    values = {str(name): ordered(column) for name, column in results.axes.items()}
    varied = varied_settings(results)
    if len(varied) == 1:
        return draw_lines(results, *chosen)
    if len(varied) == 2 and len(results.points) == len(values[varied[0]]) * len(values[varied[1]]):
        across, up = sorted(varied, key=lambda name: -len(values[name]))
        return draw_heat(results, across, up, title_of(results), measures)
    return None


def draw_lines(
    results: SweepResults,
    *chosen: str,
    across: str | None = None,
    at: Mapping[str, Any] | None = None,
    look: Look = SCREEN,
    ax: Axes | None = None,
) -> Figure:
    """Measures against one setting: a row of panels for each combination of the others.

    By default against the setting with the most values, numbers before words. `at` holds settings
    at one value.
    """
    table = results.table[results.rows_at(at)]
    varied = [name for name in varied_settings(results) if table[name].map(repr).nunique() > 1]
    if not varied:
        raise MarketError("there is nothing to draw lines over: no setting has two values")
    axis = _most_valued(table, varied) if across is None else find_setting(varied, across)
    others = [name for name in varied if name != axis]
    worlds = [table]
    if others:
        worlds = [rows for _, rows in table.groupby(others, sort=False, dropna=False)]
    measures = shown_measures(results.regret_measure, chosen, results.is_bayes)
    if len(worlds) > MOST_ROWS:
        raise MarketError(
            f"the figure would have {len(worlds)} rows of panels, one for each combination of "
            f"{', '.join(others)}; at most {MOST_ROWS} fit. Hold settings at one value, as in "
            f"at={{{others[0]!r}: ...}}"
        )
    palette = pens_of(results.labels)
    with styled(look):
        count = len(worlds) * len(measures)
        columns = len(measures) if others and len(measures) > 1 else 0
        figure, panels = new_panels(look, count, palette, ax, columns)
        for place, axes in enumerate(panels):
            world, measure = worlds[place // len(measures)], list(measures)[place % len(measures)]
            _draw_panel(axes, results, world, (axis, measure, measures[measure]), palette)
            name = f"{measures[measure]}: mean and 95 % interval"
            set_panel_title(axes, point_label(results, _first(world), others) if others else name)
        if ax is None:
            title, is_line = title_of(results, look), _is_number(table[axis])
            finish(figure, palette, title, look, is_line, INTERVALS if others else "")
    return figure


def point_label(results: SweepResults, row: Mapping[Any, Any], axes: Sequence[str]) -> str:
    """The values of some settings in a row of the table: labels, or names and values."""
    plan = results.scenario.sweep
    names, words = short_names([str(name) for name in results.axes]), []
    for axis in axes:
        value = short(row[axis], 60)
        has_label = plan is not None and axis in plan.labelled
        words.append(value if has_label else f"{names[axis]} = {value}")
    return ", ".join(words)


def varied_settings(results: SweepResults) -> list[str]:
    """The settings with more than one value."""
    return [str(name) for name, column in results.axes.items() if len(ordered(column)) > 1]


def title_of(results: SweepResults, look: Look = SCREEN) -> str:
    """The scenario's title, and the size of the sweep, for which slides have no room."""
    title = results.scenario.title or "Sweep"
    return title if look.is_slide else f"{title}\n{results.size}"


def _first(table: pd.DataFrame) -> Mapping[Any, Any]:
    return table.iloc[0].to_dict()


def _most_valued(table: pd.DataFrame, varied: Sequence[str]) -> str:
    columns: dict[str, pd.Series[Any]] = {name: table[name] for name in varied}
    return max(varied, key=lambda name: (_is_number(columns[name]), len(ordered(columns[name]))))


def _is_number(values: pd.Series[Any]) -> bool:
    return pd.api.types.is_numeric_dtype(values) and bool(values.notna().all())


def _draw_panel(
    axes: Axes,
    results: SweepResults,
    table: pd.DataFrame,
    shown: tuple[str, str, str],
    palette: dict[str, Pen],
) -> None:
    """A measure, with its name, against the values of a setting."""
    axis, measure, name = shown
    draw = _draw_numbers if _is_number(table[axis]) else _draw_categories
    draw(axes, table, axis, measure, palette)
    scale = set_scale(axes, "y", table[measure].to_numpy())
    set_ylabel(axes, f"{spoken(name)} at the end{scale}")
    scale = " (log scale)" if axes.get_xscale() == "log" else ""
    letters = max(_LETTERS[1], int(1.0 * panel_inches(axes) * 72 / (0.6 * 13)))
    axes.set_xlabel(wrapped(setting_name(results.scenario, axis) + scale, letters))


def _draw_numbers(
    axes: Axes, table: pd.DataFrame, axis: str, measure: str, palette: dict[str, Pen]
) -> None:
    for label, pen in palette.items():
        rows = table[table["policy"] == label].sort_values(axis)
        low, high = rows[f"{measure}_low"], rows[f"{measure}_high"]
        marks = {"marker": pen.marker, "markersize": sized(6)}
        draw_band(axes, rows[axis], rows[measure], (low, high), pen, label=label, **marks)
    values = ordered(table[axis])
    room = max(3, int(panel_inches(axes) / _TICK))
    axes.xaxis.set_major_locator(MaxNLocator(min(6, room)))
    if values[0] > 0 and (is_wide(values) or _is_geometric(values)):
        axes.set_xscale("log")
        write_plainly(axes.xaxis)
        steps = np.diff(np.log(values))
        if len(values) <= 2 * room and steps.min() > steps.sum() / (2 * room):
            axes.xaxis.set_major_locator(FixedLocator(values))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def _is_geometric(values: Sequence[float]) -> bool:
    """True for values over a decade that are spread more evenly on a logarithmic scale."""
    uneven = [
        np.std(steps) / np.mean(steps) for steps in (np.diff(values), np.diff(np.log(values)))
    ]
    return bool(values[-1] >= 10.0 * values[0] and uneven[1] < 0.5 * uneven[0])


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
            label=label,
            markersize=sized(9),
            elinewidth=sized(2.5),
            capsize=sized(6),
        )
    # Letters are 0.6 of their height wide, and the panel 0.8 of its share of the figure.
    letters = int(0.8 * panel_inches(axes) * 72.0 / (0.6 * 13.0) / len(values))
    letters = min(_LETTERS[1], max(_LETTERS[0], letters))
    axes.set_xticks(range(len(values)), [short(value, letters) for value in values])
    axes.set_xlim(-0.5, len(values) - 0.5)
    axes.grid(axis="x", visible=False)


def interval_arms(rows: pd.DataFrame, measure: str) -> np.ndarray:
    """The distances of the interval's ends from the mean; 0 if there is no interval."""
    below = rows[measure] - rows[f"{measure}_low"]
    above = rows[f"{measure}_high"] - rows[measure]
    return np.nan_to_num([below, above])
