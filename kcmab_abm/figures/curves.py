"""Curves over customers: a line for the mean, a band for its interval."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter

from kcmab_abm.figures.style import Pen, pens, styled

MEASURES = {
    "regret": "Regret",
    "dynamic_regret": "Dynamic regret",
    "compensation": "Compensation",
}
PAPER = {measure: MEASURES[measure] for measure in ("regret", "compensation")}


def shown_measures(regret: str) -> dict[str, str]:
    """The measures that a figure shows, with their names: one regret, and compensation."""
    return {each: name for each, name in MEASURES.items() if each in (regret, "compensation")}


def palette_for(labels: list[str]) -> dict[str, Pen]:
    """A pen for every policy."""
    return dict(zip(labels, pens(len(labels)), strict=True))


def draw_curves(
    axes: Axes, table: pd.DataFrame, palette: dict[str, Pen], logarithmic: bool = False
) -> None:
    """The mean of every policy against customers served, with the band of its interval."""
    for label, pen in palette.items():
        curve = table[table["policy"] == label]
        axes.fill_between(
            curve["customer"], curve["low"], curve["high"], color=pen.colour, alpha=0.2, lw=0
        )
        axes.plot(
            curve["customer"], curve["mean"], color=pen.colour, linestyle=pen.dashes, linewidth=2.5
        )
    if logarithmic:
        axes.set_xscale("log")
        axes.set_xlabel("customers served, logarithmic")
        axes.set_xlim(left=1)
    else:
        axes.set_xlabel("customers served")
        axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))


def add_legend(
    figure: Figure, palette: dict[str, Pen], columns: int = 3, lines: bool = True
) -> None:
    """A legend below the panels, where it covers nothing; of markers if there are no lines."""
    handles = [
        Line2D([], [], color=pen.colour, linestyle=pen.dashes, linewidth=2.5, label=label)
        for label, pen in palette.items()
    ]
    if not lines:
        handles = marker_handles(palette)
    figure.legend(handles=handles, loc="outside lower center", ncols=min(columns, len(handles)))


def marker_handles(palette: dict[str, Pen]) -> list[Line2D]:
    """Entries of a legend for policies that are drawn as markers."""
    return [
        Line2D([], [], color=pen.colour, linestyle="", marker=pen.marker, markersize=9, label=label)
        for label, pen in palette.items()
    ]


def draw_paper_figure(curves: pd.DataFrame, labels: list[str], title: str) -> Figure:
    """Regret and compensation of some policies, against time and against its logarithm."""
    palette = palette_for(labels)
    with styled():
        figure = Figure(figsize=(13, 9.5), layout="constrained")
        axes = figure.subplots(2, 2)
        for column, (measure, name) in enumerate(PAPER.items()):
            table = curves[curves["measure"] == measure]
            for row, logarithmic in enumerate([False, True]):
                draw_curves(axes[row, column], table, palette, logarithmic)
                axes[row, column].set_ylabel(f"{name.lower()} so far")
            axes[0, column].set_title(f"{name}: mean and 95 % interval")
        figure.suptitle(title, fontsize=17)
        add_legend(figure, palette)
    return figure
