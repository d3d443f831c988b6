"""The results of a run: curves with intervals, and the distribution of the final values."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from kcmab_abm.errors import MarketError
from kcmab_abm.figures.colours import pens_of
from kcmab_abm.figures.curves import (
    MEASURES,
    add_legend,
    draw_curves,
    legend_rows,
    shown_measures,
    spoken,
)
from kcmab_abm.figures.panels import finish, new_panels
from kcmab_abm.figures.scales import set_symlog, write_plainly
from kcmab_abm.figures.style import (
    SCREEN,
    Look,
    Pen,
    new_figure,
    panel_inches,
    set_headline,
    set_panel_title,
    set_ylabel,
    sized,
    styled,
    wrapped,
)
from kcmab_abm.results.results import Results
from kcmab_abm.results.statistics import Runs

_MOST_DOTS = 1000
_PANEL = 6.5  # inches
_NARROWEST = 4.2  # inches of a panel beside another
_WIDE = 10.0  # ratio above which a logarithmic scale is used


def draw_outcome(results: Results, *chosen: str, look: Look = SCREEN) -> Figure:
    """Measures against customers, and at the end of every run; by default regret and compensation.

    Measures of whole runs are known at the end only.
    """
    palette = pens_of(results.runs)
    with styled(look):
        measures = shown_measures(results.regret_measure, chosen, results.is_bayes)
        wide = look.wide(max(7.0, _PANEL * len(measures)))
        across = len(measures) if wide >= _NARROWEST * len(measures) else 1
        deep = max(2.0, 0.75 * len(palette) + 0.8)
        height = len(measures) // across * (5.0 + deep) + 0.32 * legend_rows(palette, wide)
        figure = new_figure(look, wide, height - (0.0 if look.has_title else 0.8))
        heights = [4.2, deep] * (len(measures) // across)
        grid = figure.subplots(len(heights), across, height_ratios=heights, squeeze=False)
        curves = results.curves()
        for place, (measure, name) in enumerate(measures.items()):
            row, column = (0, place) if across > 1 else (2 * place, 0)
            if measure in [choice.label for choice in results.scenario.measures.of_runs]:
                grid[row, column].set_axis_off()
            else:
                here = curves[curves["measure"] == measure]
                _draw_over_time(grid[row, column], here, name, palette)
            _draw_at_the_end(grid[row + 1, column], results.runs, measure, name, palette)
            if column > 0:
                grid[row + 1, column].set_yticklabels([])
        if look.has_title:
            set_headline(figure, title_of(results, look))
        add_legend(figure, palette)
    return figure


def draw_over_time(
    results: Results, *chosen: str, look: Look = SCREEN, ax: Axes | None = None
) -> Figure:
    """Only the curves: measures against customers, by default regret and compensation."""
    whole = [choice.label for choice in results.scenario.measures.of_runs]
    if unknown := [each for each in chosen if each in whole]:
        raise MarketError(f"measure {unknown[0]!r}: is known at the end only, so it has no curve")
    palette, curves = pens_of(results.runs), results.curves()
    measures = shown_measures(results.regret_measure, chosen, results.is_bayes)
    with styled(look):
        figure, panels = new_panels(look, len(measures), palette, ax)
        for panel, (measure, name) in zip(panels, measures.items(), strict=True):
            _draw_over_time(panel, curves[curves["measure"] == measure], name, palette)
        if ax is None:
            finish(figure, palette, title_of(results, look), look)
    return figure


def title_of(results: Results, look: Look = SCREEN) -> str:
    """The title, and below it the size of the run, for which slides have no room."""
    scenario = results.scenario
    title = scenario.title or "Scenario"
    if look.is_slide:
        return title
    return (
        f"{title}\n{len(scenario.market.arms)} arms, "
        f"{scenario.horizon:,} customers, {results.replications:,} runs"
    )


def _draw_over_time(axes: Axes, curves: pd.DataFrame, name: str, palette: dict[str, Pen]) -> None:
    draw_curves(axes, curves, palette)
    set_panel_title(axes, f"{name}: mean and 95 % interval")
    set_ylabel(axes, f"{spoken(name)} so far")


def _draw_at_the_end(
    axes: Axes, runs: dict[str, Runs], measure: str, name: str, palette: dict[str, Pen]
) -> None:
    _draw_spread(axes, runs, measure, palette)
    set_panel_title(axes, f"{name} at the end, run by run")
    units = ["reward units"] if measure in MEASURES else []
    units += ["log scale"] if axes.get_xscale() != "linear" else []
    shown = f" ({', '.join(units)})" if units else ""
    letters = int(0.85 * panel_inches(axes) * 72 / (0.6 * 13))
    key = wrapped("line: median, box: quartiles, diamond: mean", letters)
    axes.set_xlabel(f"{wrapped(spoken(name) + shown, letters)}\n{key}")


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
            markersize=sized(5),
            rasterized=True,
        )
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
        box = Rectangle(
            (low, place - 0.3),
            high - low,
            0.6,
            fill=False,
            edgecolor="black",
            lw=sized(1.5),
            zorder=3,
        )
        axes.add_patch(box)
        axes.plot([middle, middle], [place - 0.3, place + 0.3], color="black", linewidth=sized(2.5))
        axes.plot(
            values.mean(), place, "D", color="white", markeredgecolor="black", markersize=sized(8)
        )
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
            axes.set_xlim(left=min(0.0, float(values.min())) - 0.15)  # markers at 0 stay whole
