"""Heat maps: a measure over two swept settings, one panel per policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize, SymLogNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from kcmab_abm.figures.scales import decade, is_wide, number, ordered, short, write_plainly
from kcmab_abm.figures.style import panel_grid, readable_on, set_headline, styled, wrapped
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.scenario.setting_names import setting_name

_IN_A_ROW = 3  # panels
_MOST_NUMBERS = 7  # cells per row or column with readable numbers
_LETTERS = 36  # of the name of a setting, written upwards
_COLOURS = "cividis"  # readable with colour blindness


def draw_heat(
    results: SweepResults, across: str, up: str, title: str, measures: dict[str, str]
) -> Figure:
    """One block of panels for each measure, each with its colour scale."""
    table = results.table
    labels = list(table["policy"].drop_duplicates())
    columns = min(_IN_A_ROW, len(labels))
    rows = -(-len(labels) // _IN_A_ROW)
    height = max(2.6, 0.55 * len(ordered(table[up])) + 1.2)
    with styled():
        size = (max(9.0, 4.8 * columns + 1.6), len(measures) * rows * height + 1.6)
        figure = Figure(figsize=size, layout="constrained")
        blocks: Any = figure.subfigures(len(measures), 1, squeeze=False)[:, 0]
        for block, (measure, name) in zip(blocks, measures.items(), strict=True):
            panels = panel_grid(block, len(labels), columns, shared=True)
            norm = _norm(table[measure].to_numpy())
            for panel, label in zip(panels, labels, strict=True):
                mesh = _draw_panel(panel, table, label, measure, (across, up), norm)
                panel.set_title(wrapped(label, 36), fontsize=13)
            colours = "" if type(norm) is Normalize else " (log colour scale)"
            bar = block.colorbar(mesh, ax=block.axes)
            if isinstance(norm, SymLogNorm):
                write_plainly(bar.ax.yaxis, norm.linthresh, float(norm.vmax or 0.0))
            elif isinstance(norm, LogNorm):
                write_plainly(bar.ax.yaxis)
            block.suptitle(f"{name} at the end{colours}", fontsize=15)
            block.supxlabel(setting_name(results.scenario, across), fontsize=13)
            block.supylabel(wrapped(setting_name(results.scenario, up), _LETTERS), fontsize=13)
        set_headline(figure, title)
    return figure


def _norm(values: NDArray[np.float64]) -> Normalize:
    low, high = float(values.min()), float(values.max())
    if not is_wide(values) or low < 0.0:
        return Normalize(min(0.0, low), high or 1.0)
    return LogNorm(low, high) if low > 0.0 else SymLogNorm(decade(values), 0.3, 0.0, high)


def _draw_panel(
    axes: Axes, table: pd.DataFrame, label: str, measure: str, names: tuple[str, str], norm: Any
) -> Any:
    across, up = names
    columns, rows = ordered(table[across]), ordered(table[up])
    along, down = ({repr(v): place for place, v in enumerate(each)} for each in (columns, rows))
    cells = np.full((len(rows), len(columns)), np.nan)
    for row in table[table["policy"] == label].to_dict("records"):
        cells[down[repr(row[up])], along[repr(row[across])]] = row[measure]
    mesh = axes.pcolormesh(cells, norm=norm, cmap=_COLOURS, edgecolors="white", linewidth=1)
    if max(len(columns), len(rows)) <= _MOST_NUMBERS:
        _write_numbers(axes, cells, mesh)
    axes.set_xticks(np.arange(len(columns)) + 0.5, [short(value, 12) for value in columns])
    axes.set_yticks(np.arange(len(rows)) + 0.5, [short(value, 16) for value in rows])
    axes.grid(visible=False)
    axes.tick_params(length=0)
    return mesh


def _write_numbers(axes: Axes, cells: NDArray[np.float64], mesh: Any) -> None:
    for (row, column), value in np.ndenumerate(cells):
        if np.isfinite(value):
            axes.text(
                column + 0.5,
                row + 0.5,
                number(value),
                ha="center",
                va="center",
                color=readable_on(mesh.cmap(mesh.norm(value))),
                fontsize=12,
            )
