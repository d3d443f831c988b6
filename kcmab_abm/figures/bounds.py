"""Measured curves and the bounds that speak of them, each drawn as what it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from kcmab_abm.figures.curves import PAPER, add_legend, draw_curves, palette_for
from kcmab_abm.figures.style import Pen, styled
from kcmab_abm.results import Results
from kcmab_abm.theory.bounds import compensation_slope, lai_robbins
from kcmab_abm.world import Arm
from kcmab_abm.yardsticks import yardsticks


def draw_bounds(results: Results) -> Figure:
    """Above, growth against ln t with the Lai-Robbins slope; below, upper bounds, log-log."""
    palette = palette_for(list(results.runs))
    curves = results.curves()
    with styled():
        figure = Figure(figsize=(13, 10), layout="constrained")
        axes = figure.subplots(2, 2)
        for column, (measure, name) in enumerate(PAPER.items()):
            table = curves[curves["measure"] == measure]
            draw_curves(axes[0, column], table, palette, logarithmic=True)
            slope = lai_robbins if measure == "regret" else compensation_slope
            _draw_slope(axes[0, column], results, slope)
            axes[0, column].set_title(name)
            draw_curves(axes[1, column], table, palette, logarithmic=True)
            _draw_upper_bounds(axes[1, column], results, measure, palette)
            for row in range(2):
                axes[row, column].set_ylabel(f"{name.lower()} so far")
        figure.suptitle("Above: the asymptotic slope. Below: upper bounds", fontsize=17)
        add_legend(figure, palette)
    return figure


def _draw_slope(axes: Axes, results: Results, slope: Callable[[Sequence[Arm], int], float]) -> None:
    """A short line that grows as the lower bound says in the end; its height means nothing."""
    horizon = results.scenario.horizon
    arms = results.scenario.market.arms
    start = max(2, horizon // 30)
    rise = slope(arms, horizon) * (1.0 - math.log(start) / math.log(max(2, horizon)))
    if math.isnan(rise):
        return
    base = 0.55 * axes.get_ylim()[1]
    axes.plot([start, horizon], [base, base + rise], color="black", linewidth=2)
    axes.annotate(
        "slope of the lower bound\n(where it starts means nothing)",
        (start, base),
        (-6, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        fontsize=12,
    )


def _draw_upper_bounds(axes: Axes, results: Results, measure: str, palette: dict[str, Pen]) -> None:
    times = np.geomspace(2, results.scenario.horizon, 60)
    means = results.scenario.market.means
    most = means.max() - means.min() if measure == "regret" else means.max()
    axes.plot(times, most * times, color="#888888", linewidth=1.5)
    axes.annotate(
        "trivial",
        (times[10], most * times[10]),
        (-6, 6),
        textcoords="offset points",
        ha="right",
        color="#555555",
        fontsize=12,
    )
    top = most * times[-1]
    for each in yardsticks(results.scenario):
        if each.measure != measure or each.kind != "upper bound":
            continue
        values = [each.value(float(time)) for time in times]
        top = max(top, values[-1])
        colour = palette[each.policy].colour
        axes.plot(times, values, color=colour, linewidth=1.5)
        axes.annotate(
            each.name,
            (times[6], values[6]),
            (4, -13),
            textcoords="offset points",
            color=colour,
            fontsize=12,
        )
    axes.set_yscale("log")
    axes.set_ylim(0.5, 2.0 * top)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
