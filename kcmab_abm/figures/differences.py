"""Differences between two sets of results, with their intervals and a line at 0."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kcmab_abm.figures.colours import pens_of
from kcmab_abm.figures.curves import shown_measures
from kcmab_abm.figures.scales import short
from kcmab_abm.figures.style import Pen, set_headline, styled, wrapped

_MOST_ROWS = 40


def draw_differences(table: pd.DataFrame, axes: list[str], regret: str, title: str) -> Figure:
    """One row per policy and point; regret on the left, compensation on the right."""
    measures = shown_measures(regret)
    table = table[table["measure"].isin(list(measures))]
    palette = pens_of(list(table["policy"].drop_duplicates()))
    rows = len(table) // len(measures)
    shown = min(rows, _MOST_ROWS)
    with styled():
        figure = Figure(figsize=(13, 2.6 + 0.5 * shown), layout="constrained")
        panels = figure.subplots(1, 2)
        for panel, (measure, name) in zip(panels, measures.items(), strict=True):
            part = table[table["measure"] == measure][:_MOST_ROWS]
            _draw_rows(panel, part, axes, palette)
            panel.set_title(name)
            panel.set_xlabel(
                f"difference in {name.lower()}, 95 % interval\nnegative: lower in the second"
            )
        panels[1].set_yticklabels([])
        more = f" (the first {shown} rows of {rows})" if rows > shown else ""
        set_headline(figure, title + more)
    return figure


def _draw_rows(panel: Axes, part: pd.DataFrame, axes: list[str], palette: dict[str, Pen]) -> None:
    names = []
    for place, row in enumerate(part.to_dict("records")):
        pen = palette[str(row["policy"])]
        panel.plot([row["low"], row["high"]], [place, place], color=pen.colour, linewidth=3)
        panel.plot(row["difference"], place, pen.marker, color=pen.colour, markersize=9)
        values = [f"{axis.split('.')[-1]} = {short(row[axis], 60)}" for axis in axes]
        names.append(wrapped(", ".join([str(row["policy"]), *values]), 44, 2))
    panel.axvline(0.0, color="black", linewidth=1.5)
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.5, -0.5)
    panel.grid(axis="y", visible=False)
