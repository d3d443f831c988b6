"""Measured curves with the bounds that apply to them."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from kcmab_abm.figures.colours import pens_of
from kcmab_abm.figures.curves import PAPER, add_legend, draw_curves, legend_rows
from kcmab_abm.figures.scales import write_plainly
from kcmab_abm.figures.style import Pen, set_headline, styled
from kcmab_abm.results.results import Results
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.theory.applicable import withheld, yardsticks

_DASHES = [(0, (1, 1)), (0, (6, 1)), (0, (3, 1, 1, 1)), (0, (1, 3))]  # for the bounds of one policy
_TOO_HIGH = 1e30  # a bound of arms that hardly differ, which would flatten everything else


def draw_bounds(results: Results) -> Figure:
    """Top row: curves against ln t with the lower bound's slope; bottom row: upper bounds."""
    palette = pens_of(list(results.runs))
    curves = results.curves()
    with styled():
        figure = Figure(figsize=(13, 10), layout="constrained")
        axes = figure.subplots(2, 2)
        lines: list[Line2D] = []
        for column, (measure, name) in enumerate(PAPER.items()):
            table = curves[curves["measure"] == measure]
            draw_curves(axes[0, column], table, palette, logarithmic=True)
            lines += _draw_slope(axes[0, column], results.scenario, measure)
            axes[0, column].set_title(name)
            draw_curves(axes[1, column], table, palette, logarithmic=True)
            lines += _draw_upper_bounds(axes[1, column], results, measure, palette)
            for row in range(2):
                axes[row, column].set_ylabel(f"{name.lower()} so far")
        set_headline(figure, _headline(results.scenario))
        more = {str(line.get_label()): line for line in lines}
        add_legend(figure, palette, more=more.values())
        figure.set_size_inches(13, 9.4 + 0.3 * legend_rows([*palette, *more]))
    return figure


def _headline(scenario: Scenario) -> str:
    """What is drawn, and which bounds are not because a premise fails."""
    lines = ["Top: asymptotic slopes. Bottom: upper bounds"]
    for failing, names in withheld(scenario).items():
        assumed = ", ".join(premise.assumed for premise in failing)
        lines.append(f"Not drawn: {', '.join(names)} (assumed: {assumed})")
    return "\n".join(lines)


def _draw_slope(axes: Axes, scenario: Scenario, measure: str) -> list[Line2D]:
    """A line with the asymptotic slope of the lower bound, at an arbitrary height."""
    horizon = scenario.horizon
    slopes = [each for each in yardsticks(scenario) if each.kind == "asymptotic slope"]
    slope = next((each for each in slopes if each.measure == measure), None)
    if slope is None:
        return []
    start = max(2, horizon // 30)
    rise = slope.value(horizon) * (1.0 - math.log(start) / math.log(max(2, horizon)))
    if not math.isfinite(rise):
        return []
    base = 0.55 * axes.get_ylim()[1]
    return axes.plot(
        [start, horizon],
        [base, base + rise],
        color="black",
        linewidth=2,
        label="slope of the lower bound (height arbitrary)",
    )


def _draw_upper_bounds(
    axes: Axes, results: Results, measure: str, palette: dict[str, Pen]
) -> list[Line2D]:
    times = np.geomspace(2, max(3, results.scenario.horizon), 60)
    means = results.scenario.market.means
    most = means.max() - means.min() if measure == "regret" else means.max()
    lines = axes.plot(times, most * times, color="#888888", lw=1.5, label="trivial upper bound")
    top = most * times[-1]
    for each in yardsticks(results.scenario):
        if each.measure != measure or each.kind != "upper bound":
            continue
        values = [each.value(float(time)) for time in times]
        if values[-1] < _TOO_HIGH:
            top = max(top, values[-1])
        seen = sum(line.get_color() == palette[each.policy].colour for line in lines)
        dashes = _DASHES[seen % len(_DASHES)]
        lines += axes.plot(
            times,
            values,
            color=palette[each.policy].colour,
            linestyle=dashes,
            linewidth=1.3,
            label=f"{each.name}, {each.policy}",
        )
    axes.set_yscale("log")
    axes.set_ylim(0.5, 2.0 * max(top, 1.0))
    write_plainly(axes.yaxis)
    return lines
