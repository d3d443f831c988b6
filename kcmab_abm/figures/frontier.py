"""The frontier: what regret each policy leaves for what compensation, at every point of a sweep."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from kcmab_abm.figures.curves import marker_handles, palette_for
from kcmab_abm.figures.scales import set_scale, short
from kcmab_abm.figures.settings import interval_arms, title_of
from kcmab_abm.figures.style import Pen, styled
from kcmab_abm.sweeps import SweepResults

_MOST_NAMED = 10
_NEAR = 45.0  # dots on the screen: numbers nearer than this are written as one


def draw_frontier(results: SweepResults) -> Figure:
    """Regret against compensation, one marker a point and policy; Pareto points are joined."""
    table, regret = results.table, results.regret_measure
    costs = ["compensation", regret]
    best = table[pareto(table[costs].to_numpy())].sort_values(costs, kind="stable")
    names = _names(best, results)
    best = best.drop_duplicates(["policy", *costs])
    palette = palette_for(list(table["policy"].drop_duplicates()))
    with styled():
        figure = Figure(figsize=(13, 7.6), layout="constrained")
        axes = figure.subplots()
        _draw_points(axes, table, regret, palette)
        across = set_scale(axes, "x", table["compensation"].to_numpy())
        up = set_scale(axes, "y", table[regret].to_numpy())
        axes.set_xlabel(f"compensation at the end: what the controller paid{across}")
        axes.set_ylabel(f"{regret.replace('_', ' ')} at the end: what the market lost{up}")
        figure.suptitle(title_of(results), fontsize=17)
        _add_legend(figure, palette, names)
        _draw_best(axes, best[costs].to_numpy())
    return figure


def pareto(costs: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows no other row beats: none is as low in both columns and lower in one.

    >>> pareto(np.array([[1.0, 5.0], [2.0, 3.0], [2.0, 4.0], [3.0, 3.0]])).tolist()
    [True, True, False, False]
    """
    rows, place = np.unique(costs, axis=0, return_inverse=True)  # by the first, then the second
    least = np.minimum.accumulate(np.append(np.inf, rows[:-1, 1]))
    return np.asarray(rows[:, 1] < least)[place.ravel()]


def _draw_points(axes: Axes, table: pd.DataFrame, regret: str, palette: dict[str, Pen]) -> None:
    for label, pen in palette.items():
        rows = table[table["policy"] == label]
        axes.errorbar(
            rows["compensation"],
            rows[regret],
            xerr=interval_arms(rows, "compensation"),
            yerr=interval_arms(rows, regret),
            color=pen.colour,
            linestyle="none",
            marker=pen.marker,
            markersize=8,
            elinewidth=1.5,
            alpha=0.9 if len(table) <= 200 else 0.5,
        )


def _draw_best(axes: Axes, best: NDArray[np.float64]) -> None:
    """The Pareto points in rings, joined, numbered from the cheapest on."""
    x, y = best.T
    axes.plot(x, y, color="black", linewidth=1.5, linestyle=":", zorder=1)
    axes.plot(x, y, "o", color="none", markeredgecolor="black", markersize=16, markeredgewidth=1.8)
    places = axes.transData.transform(best[:_MOST_NAMED])
    groups: list[list[int]] = []
    for number, place in enumerate(places):
        if groups and np.hypot(*(place - places[groups[-1][0]])) < _NEAR:
            groups[-1].append(number)
        else:
            groups.append([number])
    for group in groups:
        axes.annotate(
            f"{group[0] + 1}" + (f" - {group[-1] + 1}" if group[1:] else ""),
            best[group[0]],
            (-10, -10),  # nothing is there, or this would be no Pareto point
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=13,
            fontweight="bold",
        )


def _names(best: pd.DataFrame, results: SweepResults) -> list[str]:
    """One name for points that came out the same: what they differ in does not touch them."""
    axes = [str(name) for name in results.axes]
    names = []
    for _, rows in best.groupby(["policy", "compensation", results.regret_measure], sort=False):
        row = rows.to_dict("records")[0]
        values = [f"{name.split('.')[-1]} = {short(row[name], 60)}" for name in axes]
        more = f"\n     (and {len(rows) - 1} just like it)" if len(rows) > 1 else ""
        names.append(f"{row['policy']}\n     {', '.join(values)}{more}")
    return names


def _add_legend(figure: Figure, palette: dict[str, Pen], best: list[str]) -> None:
    """Beside the panel, where it covers nothing: the policies, then the Pareto points."""
    ring = Line2D([], [], color="black", linestyle=":", label="Pareto: nothing is lower in both")
    ring.set(marker="o", markersize=14, markerfacecolor="none")
    names = [f"{number}  {name}" for number, name in enumerate(best[:_MOST_NAMED], 1)]
    if len(best) > _MOST_NAMED:
        names.append(f"and {len(best) - _MOST_NAMED} more")
    blank = [Line2D([], [], linestyle="none", label=name) for name in names]
    handles = [*marker_handles(palette), ring, *blank]
    figure.legend(handles=handles, loc="outside right upper", fontsize=12)
