"""What recorded histories show: arm 1 at the pulls of another arm, and biased means."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from kcmab_abm.figures.curves import add_legend, palette_for
from kcmab_abm.figures.style import Pen, styled


def draw_histories(table: pd.DataFrame) -> Figure:
    """Arm 1's empirical mean when arm i is pulled for the k-th time: a panel a policy."""
    labels = list(table["policy"].unique())
    palette = palette_for(labels)
    columns = min(3, len(labels))
    rows = -(-len(labels) // columns)
    with styled():
        figure = Figure(figsize=(13, 3.9 * rows + 1.2), layout="constrained")
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for place, axes in enumerate(grid.flat):
            if place >= len(labels):
                axes.set_visible(False)
                continue
            label = labels[place]
            _draw_policy(axes, table[table["policy"] == label], palette[label])
            axes.set_title(label)
        first = table.iloc[0]
        for axes in grid[:, 0]:
            axes.set_ylabel("arm 1's mean")
        for place in range(max(0, len(labels) - columns), len(labels)):
            grid.flat[place].set_xlabel("k, pull of arm i")
            grid.flat[place].tick_params(labelbottom=True)
        figure.suptitle(
            f"What customers see of arm 1 (mean {first.best_mean:g}) when arm i "
            f"(mean {first.arm_mean:g}) is pulled\nline: expectation, band: middle half and "
            f"90 % of the runs, dashes: mu_1 and mu_i, dots: DP(mu_1, T) = "
            f"{first.stopping_value:.3f}",
            fontsize=15,
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
    """How biased empirical means are: over customers for the two best arms, at the end for all."""
    labels = list(table["policy"].unique())
    palette = palette_for(labels)
    best, second = table.groupby("arm")["mean_reward"].first().nlargest(2).index
    with styled():
        figure = Figure(figsize=(13, 6.2 + 0.3 * -(-len(labels) // 3)), layout="constrained")
        panels = figure.subplots(1, 3, sharey=True)
        for axes, arm, name in zip(panels[:2], (best, second), ("Best", "Second"), strict=True):
            for label, pen in palette.items():
                rows = table[(table["policy"] == label) & (table["arm"] == arm)]
                axes.fill_between(
                    rows["customer"], rows["low"], rows["high"], color=pen.colour, alpha=0.2, lw=0
                )
                axes.plot(
                    rows["customer"], rows["mean"], color=pen.colour, ls=pen.dashes, linewidth=2.5
                )
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
            axes.set_xlabel("customers served, logarithmic")
            axes.set_title(f"{name} arm, mean {rows['mean_reward'].iloc[0]:g}")
        _draw_ends(panels[2], table, palette)
        for axes in panels:
            axes.axhline(0.0, color="black", linewidth=1)
        panels[0].set_ylabel("expected empirical mean less true mean")
        figure.suptitle("Adaptive pulls bias empirical means downwards", fontsize=17)
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
    axes.set_title("All arms, at the end")
