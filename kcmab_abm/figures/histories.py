"""Evidence from recorded histories: arm 1 at the pulls of another arm, and biased means."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kcmab_abm.figures.colours import pens_of
from kcmab_abm.figures.curves import (
    add_legend,
    draw_band,
    legend_rows,
    scale_customers,
)
from kcmab_abm.figures.style import Pen, panel_grid, set_headline, styled, wrapped


def draw_histories(table: pd.DataFrame) -> Figure:
    """Arm 1's empirical mean when arm i is pulled for the k-th time, one panel per policy."""
    labels = list(table["policy"].unique())
    palette = pens_of(labels)
    columns = min(3, len(labels))
    rows = -(-len(labels) // columns)
    with styled():
        figure = Figure(figsize=(13, 3.9 * rows + 1.2), layout="constrained")
        grid = panel_grid(figure, len(labels), columns, shared=True)
        for label, axes in zip(labels, grid, strict=True):
            _draw_policy(axes, table[table["policy"] == label], palette[label])
            axes.set_title(wrapped(label, 32))
        for axes in grid[::columns]:
            axes.set_ylabel("empirical mean of arm 1")
        for axes in grid[-columns:]:
            axes.set_xlabel("k, number of pulls of arm i")
        first = table.iloc[0]
        set_headline(
            figure,
            f"Empirical mean of arm 1 (true mean {first.best_mean:g}) when arm i "
            f"(true mean {first.arm_mean:g}) is pulled\nline: mean, bands: middle 50 % and 90 % of "
            f"runs, dashed: mu_1 and mu_i, dotted: DP(mu_1, T) = {first.stopping_value:.3f}",
            15,
        )
    return figure


def _draw_policy(axes: Axes, table: pd.DataFrame, pen: Pen) -> None:
    pulls = table["pull"]
    for low, high in [("q05", "q95"), ("q25", "q75")]:
        axes.fill_between(pulls, table[low], table[high], color=pen.colour, alpha=0.18, lw=0)
    axes.plot(pulls, table["mean"], color=pen.colour, linewidth=2.5)
    for level in (table["best_mean"].iloc[0], table["arm_mean"].iloc[0]):
        axes.axhline(level, color="black", linestyle="--", linewidth=1.2)
    axes.axhline(table["stopping_value"].iloc[0], color="black", linestyle=":", linewidth=2)
    axes.set_ylim(0, 1.02)


def draw_biases(table: pd.DataFrame) -> Figure:
    """The bias of empirical means: over time for the two best arms, at the end for all."""
    labels = list(table["policy"].unique())
    palette = pens_of(labels)
    best, second = table.groupby("arm")["mean_reward"].first().nlargest(2).index
    with styled():
        figure = Figure(figsize=(13, 6.2 + 0.3 * legend_rows(labels)), layout="constrained")
        panels = figure.subplots(1, 3, sharey=True)
        for axes, arm, name in zip(panels[:2], (best, second), ("Best", "Second"), strict=True):
            for label, pen in palette.items():
                rows = table[(table["policy"] == label) & (table["arm"] == arm)]
                draw_band(axes, rows["customer"], rows["mean"], (rows["low"], rows["high"]), pen)
            scale_customers(axes)
            axes.set_title(f"{name} arm, mean {rows['mean_reward'].iloc[0]:g}")
        _draw_ends(panels[2], table, palette)
        for axes in panels:
            axes.axhline(0.0, color="black", linewidth=1)
        panels[0].set_ylabel("bias: empirical mean minus true mean")
        set_headline(figure, "Adaptive sampling biases empirical means downwards")
        add_legend(figure, palette)
    return figure


def _draw_ends(axes: Axes, table: pd.DataFrame, palette: dict[str, Pen]) -> None:
    last = table[table["customer"] == table["customer"].max()]
    shifts = np.linspace(-0.3, 0.3, len(palette))
    for (label, pen), shift in zip(palette.items(), shifts, strict=True):
        rows = last[last["policy"] == label]
        axes.errorbar(
            rows["arm"] + shift,
            rows["mean"],
            rows["high"] - rows["mean"],
            fmt="o",
            color=pen.colour,
            markersize=5,
            linewidth=1.5,
        )
    axes.set_xlabel("arm")
    axes.set_xticks(sorted(last["arm"].unique()))
    axes.set_title("All arms at the end")
