"""Heat maps: a measure over two swept settings, one panel a policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize, SymLogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from kcmab_abm.figures.curves import shown_measures
from kcmab_abm.figures.scales import decade, is_wide, number, ordered, short
from kcmab_abm.figures.style import styled
from kcmab_abm.sweeps import SweepResults

_IN_A_ROW = 3  # panels
_MOST_NUMBERS = 7  # cells across up to which their numbers can be read
_COLOURS = "cividis"  # made for the colour-blind


def draw_heat(results: SweepResults, across: str, up: str, title: str) -> Figure:
    """A block of panels for regret and one for compensation, each with one scale of colours."""
    table = results.table
    labels = list(table["policy"].drop_duplicates())
    columns = min(_IN_A_ROW, len(labels))
    rows = -(-len(labels) // _IN_A_ROW)
    height = max(2.6, 0.55 * len(ordered(table[up])) + 1.2)
    with styled():
        size = (max(9.0, 4.8 * columns + 1.6), 2 * rows * height + 1.6)
        figure = Figure(figsize=size, layout="constrained")
        blocks: Any = figure.subfigures(2, 1)
        measures = shown_measures(results.regret_measure)
        for block, (measure, name) in zip(blocks, measures.items(), strict=True):
            panels = block.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
            norm = _norm(table[measure].to_numpy())
            for place in range(len(labels), panels.size):
                panels.flat[place].set_visible(False)
                panels.flat[place - columns].tick_params(labelbottom=True)
            for panel, label in zip(panels.flat, labels, strict=False):
                mesh = _draw_panel(panel, table, label, measure, (across, up), norm)
                panel.set_title(label, fontsize=13)
            colours = "" if type(norm) is Normalize else " (logarithmic colours)"
            block.colorbar(mesh, ax=panels, format=FuncFormatter(lambda value, _: number(value)))
            block.suptitle(f"{name} at the end{colours}", fontsize=15)
            block.supxlabel(across, fontsize=13)
            block.supylabel(up, fontsize=13)
        figure.suptitle(title, fontsize=17)
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
            red, green, blue, _ = mesh.cmap(mesh.norm(value))
            dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
            axes.text(
                column + 0.5,
                row + 0.5,
                number(value),
                ha="center",
                va="center",
                color="white" if dark else "black",
                fontsize=12,
            )
