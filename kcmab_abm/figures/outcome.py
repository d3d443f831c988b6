"""The results of a run: curves with intervals, and the distribution of the final values."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from kcmab_abm.figures.curves import (
    MEASURES,
    add_legend,
    draw_curves,
    legend_rows,
    palette_for,
    shown_measures,
    spoken,
)
from kcmab_abm.figures.scales import set_symlog, write_plainly
from kcmab_abm.figures.style import Pen, set_headline, styled, wrapped
from kcmab_abm.results.results import Results
from kcmab_abm.results.statistics import Runs

_MOST_DOTS = 1000
_WIDE = 10.0  # ratio above which a logarithmic scale is used


def draw_outcome(results: Results, *chosen: str) -> Figure:
    """Measures against customers, and at the end of every run; by default regret and compensation.

    Measures of whole runs are known at the end only.
    """
    labels = list(results.runs)
    palette = palette_for(labels)
    height = 4.6 + max(2.4, 0.75 * len(labels) + 1.2) + 0.32 * legend_rows(labels)
    with styled():
        measures = shown_measures(results.regret_measure, chosen, results.is_bayes)
        figure = Figure(figsize=(max(7.0, 6.5 * len(measures)), height), layout="constrained")
        heights = [4.2, max(2.0, 0.75 * len(labels) + 0.8)]
        axes = figure.subplots(2, len(measures), height_ratios=heights, squeeze=False)
        curves = results.curves()
        whole = [choice.label for choice in results.scenario.measures.of_runs]
        for column, (measure, name) in enumerate(measures.items()):
            if measure in whole:
                axes[0, column].set_axis_off()
            else:
                draw_curves(axes[0, column], curves[curves["measure"] == measure], palette)
                axes[0, column].set_title(f"{name}: mean and 95 % interval")
                axes[0, column].set_ylabel(f"{spoken(name)} so far")
            _draw_spread(axes[1, column], results.runs, measure, palette)
            axes[1, column].set_title(f"{name} at the end, run by run")
            units = " (reward units)" if measure in MEASURES else ""
            axes[1, column].set_xlabel(
                f"{spoken(name)}{units}\nline: median, box: quartiles, diamond: mean"
            )
        for axis in axes[1, 1:]:
            axis.set_yticklabels([])
        scenario = results.scenario
        set_headline(
            figure,
            f"{scenario.title or 'Scenario'}\n{len(scenario.market.arms)} arms, "
            f"{scenario.horizon:,} customers, {results.replications:,} runs",
        )
        add_legend(figure, palette)
    return figure


def _draw_spread(axes: Axes, runs: dict[str, Runs], measure: str, palette: dict[str, Pen]) -> None:
    """A dot per run (at most a thousand), a box from quartile to quartile, and the mean."""
    jitter = np.random.default_rng(0)
    for place, (label, each) in enumerate(runs.items()):
        values = each.final(measure)
        dots = values[:_MOST_DOTS]
        heights = place + jitter.uniform(-0.3, 0.3, len(dots))
        colour = palette[label].colour
        axes.plot(
            dots,
            heights,
            ".",
            color=colour,
            alpha=0.25 if len(dots) > 200 else 0.6,
            markersize=5,
            rasterized=True,
        )
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
        box = Rectangle(
            (low, place - 0.3), high - low, 0.6, fill=False, edgecolor="black", lw=1.5, zorder=3
        )
        axes.add_patch(box)
        axes.plot([middle, middle], [place - 0.3, place + 0.3], color="black", linewidth=2.5)
        axes.plot(values.mean(), place, "D", color="white", markeredgecolor="black", markersize=8)
    _set_scale(axes, np.concatenate([each.final(measure) for each in runs.values()]))
    axes.set_yticks(range(len(runs)), [wrapped(label, 22, 2) for label in runs])
    axes.set_ylim(len(runs) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)


def _set_scale(axes: Axes, values: NDArray[np.float64]) -> None:
    """A logarithmic scale if a linear one would squeeze most runs into a corner."""
    if values.max() > _WIDE * max(1.0, float(np.median(values))):
        if values.min() >= 1.0:
            axes.set_xscale("log")
            write_plainly(axes.xaxis)
        else:
            set_symlog(axes, "x", 1.0, float(values.max()))
            axes.set_xlim(left=min(0.0, float(values.min())))
