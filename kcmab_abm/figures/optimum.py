"""The Pareto frontier of two Bernoulli arms, and where policies are."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kcmab_abm.figures.style import Pen, pens, set_headline, styled


def draw_optimum(table: pd.DataFrame, frontier: pd.DataFrame, horizon: int, prior: str) -> Figure:
    """Bayes regret against compensation: the frontier as a line, every policy as a point.

    The second panel shows the policies whose regret cannot be had free of charge, each with a line
    to the least compensation for its regret; the legend says how many times as much it pays.
    """
    policies = table[table["controller"] != "optimum"]
    line, *others = _marks(1 + len(policies))
    near = policies[policies["needed"] > 0.0]
    with styled():
        figure = Figure(figsize=(12.8, 7.2), layout="constrained")
        whole, close = figure.subplots(1, 2)
        for axes in (whole, close):
            _draw_frontier(axes, table, frontier, line)
        for pen, policy in zip(others, policies.to_dict("records"), strict=True):
            _draw_policy(whole, policy, pen)
            if policy["needed"] > 0.0:
                _draw_policy(close, policy, pen)
                place = [policy["needed"], policy["compensation"]]
                close.plot(place, [policy["regret"]] * 2, ":", color=pen.colour, zorder=2)
        whole.set_title("all policies")
        close.set_title("regret that has a price")
        whole.set_ylim(bottom=0)
        most = max(frontier["compensation"].max(), near["compensation"].max() if len(near) else 0)
        close.set_xlim(-0.04 * (most or 1.0), 1.08 * (most or 1.0))
        least, free = frontier["regret"].min(), frontier["regret"].max()
        margin = 0.06 * (free - least) or 1.0
        close.set_ylim(least - margin, free + margin)
        figure.legend(*whole.get_legend_handles_labels(), loc="outside right center")
        set_headline(figure, f"Two Bernoulli arms, means from {prior}, {horizon:,} customers")
    return figure


def _marks(count: int) -> list[Pen]:
    """Pens that differ in colour or marker, even if there are more than of either.

    Of each seven the colours are shifted by 3 and the markers by 1, so that policies of one colour
    stand far from each other in the legend.
    """
    drawn = pens(count)
    few = min(7, count)
    shifts = [k // few for k in range(count)]
    return [
        Pen(drawn[(k + 3 * by) % few].colour, "-", drawn[(k + by) % few].marker)
        for k, by in enumerate(shifts)
    ]


def _draw_frontier(axes: Axes, table: pd.DataFrame, frontier: pd.DataFrame, pen: Pen) -> None:
    """The frontier, with the prices of the table."""
    optima = table[table["controller"] == "optimum"]
    axes.plot(frontier["compensation"], frontier["regret"], "-", color=pen.colour, label="optimum")
    axes.scatter(optima["compensation"], optima["regret"], color=pen.colour, s=36, zorder=3)
    axes.set_xlabel("expected compensation")
    axes.set_ylabel("Bayes regret")


def _draw_policy(axes: Axes, policy: dict[Hashable, Any], pen: Pen) -> None:
    """A hollow mark, which hides none below, and how many times what is needed the policy pays."""
    label, times = policy["controller"], policy["times_needed"]
    if math.isfinite(times):
        label += f" ({times:,.3g} times)"
    place = policy["compensation"], policy["regret"]
    mark = axes.scatter(*place, s=90, marker=pen.marker, label=label, zorder=3)
    mark.set(facecolor="none", edgecolor=pen.colour, linewidth=2.0)
