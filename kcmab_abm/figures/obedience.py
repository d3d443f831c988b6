"""The audit of obedience: what following the recommendation gains, by customer."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from kcmab_abm.figures.colours import pens_of
from kcmab_abm.figures.curves import (
    add_legend,
    draw_band,
    legend_rows,
    scale_customers,
)
from kcmab_abm.figures.style import panel_grid, set_headline, styled, wrapped


def draw_obedience(table: pd.DataFrame) -> Figure:
    """The gain from following, one panel per policy and one line per recommended arm."""
    labels = list(table["policy"].unique())
    names = {f"arm {arm} recommended": arm for arm in sorted(table["arm"].unique())}
    palette = pens_of(list(names))
    columns = min(3, len(labels))
    rows = -(-len(labels) // columns)
    with styled():
        height = 4.4 * rows + 1.2 + 0.3 * legend_rows(names)
        figure = Figure(figsize=(13, height), layout="constrained")
        grid = panel_grid(figure, len(labels), columns, shared=True)
        for label, axes in zip(labels, grid, strict=True):
            for name, pen in palette.items():
                here = (table["policy"] == label) & (table["arm"] == names[name])
                part = table[here]
                draw_band(axes, part["customer"], part["gain"], (part["low"], part["high"]), pen)
            axes.axhline(0.0, color="black", linewidth=1)
            scale_customers(axes)
            axes.set_xlabel("customer (log scale)")
            axes.set_title(wrapped(label, 32))
        for axes in grid[::columns]:
            axes.set_ylabel("expected gain from following")
        set_headline(
            figure,
            "Is it better to follow the recommendation?\nline: mean gain over the best other arm, "
            "band: its interval; below 0 a rational customer refuses",
            15,
        )
        add_legend(figure, palette)
    return figure
