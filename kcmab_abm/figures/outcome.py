"""What a run showed: curves with their bands above, the spread of the final values below."""

from __future__ import annotations

import textwrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import StrMethodFormatter
from numpy.typing import NDArray

from kcmab_abm.figures.curves import add_legend, draw_curves, palette_for, shown_measures
from kcmab_abm.figures.style import Pen, styled
from kcmab_abm.measures import Runs
from kcmab_abm.results import Results

_MOST_DOTS = 1000
_WIDE = 10.0  # ratio from which on a logarithmic scale shows more


def draw_outcome(results: Results) -> Figure:
    """Regret and compensation against customers, and where every single run ended."""
    labels = list(results.runs)
    palette = palette_for(labels)
    height = 4.6 + max(2.4, 0.75 * len(labels) + 1.2) + 0.32 * -(-len(labels) // 3)
    with styled():
        figure = Figure(figsize=(13, height), layout="constrained")
        heights = [4.2, max(2.0, 0.75 * len(labels) + 0.8)]
        axes = figure.subplots(2, 2, height_ratios=heights)
        curves = results.curves()
        measures = shown_measures(results.regret_measure)
        for column, (measure, name) in enumerate(measures.items()):
            draw_curves(axes[0, column], curves[curves["measure"] == measure], palette)
            axes[0, column].set_title(f"{name}: mean and 95 % interval")
            axes[0, column].set_ylabel(f"{name.lower()} so far")
            _draw_spread(axes[1, column], results.runs, measure, palette)
            axes[1, column].set_title(f"{name} at the end, run by run")
            axes[1, column].set_xlabel(
                f"{name.lower()} (reward units)\nline: median, box: quartiles, diamond: mean"
            )
        axes[1, 1].set_yticklabels([])
        scenario = results.scenario
        figure.suptitle(
            f"{scenario.title or 'Scenario'}\n{len(scenario.market.arms)} arms, "
            f"{scenario.horizon:,} customers, {results.replications:,} runs",
            fontsize=17,
        )
        add_legend(figure, palette)
    return figure


def _draw_spread(axes: Axes, runs: dict[str, Runs], measure: str, palette: dict[str, Pen]) -> None:
    """A dot for every run (at most a thousand), a box from quartile to quartile, the mean."""
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
    axes.set_yticks(range(len(runs)), [textwrap.fill(label, 22) for label in runs])
    axes.set_ylim(len(runs) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)


def _set_scale(axes: Axes, values: NDArray[np.float64]) -> None:
    """A logarithmic scale where a linear one would squeeze most runs into a corner."""
    if values.max() > _WIDE * max(1.0, float(np.median(values))):
        if values.min() >= 1.0:
            axes.set_xscale("log")
        else:
            axes.set_xscale("symlog", linthresh=1.0)
            axes.set_xlim(left=min(0.0, float(values.min())))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
