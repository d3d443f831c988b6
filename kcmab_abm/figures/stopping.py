"""The optimal stopping rule as a boundary in the lattice of ones and zeros."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from kcmab_abm.figures.scales import write_plainly
from kcmab_abm.figures.style import pens, set_headline, styled
from kcmab_abm.theory.stopping import stopping_boundary, stopping_floor, stopping_value


def draw_boundary(mu: float, horizon: int, shown: int) -> Figure:
    """Left: the stopping region in the lattice; right: the value against the horizon."""
    shown = min(shown, horizon)
    boundary = np.array(stopping_boundary(mu, horizon, shown), float).reshape(-1, 2)
    ink, other, third = pens(3)
    with styled():
        figure = Figure(figsize=(13, 6.6), layout="constrained")
        lattice, value = figure.subplots(1, 2)
        _draw_lattice(lattice, boundary, mu)
        lattice.set_title(f"Stop in the shaded region (first {shown:,} rewards)")
        horizons = np.unique(np.geomspace(1, horizon, 30).round().astype(int))
        values = [stopping_value(mu, int(each)) for each in horizons]
        value.plot(horizons, values, "o-", color=ink.colour, label="DP(mu, T)")
        value.axhline(mu, color=other.colour, linestyle="--", label="mu")
        value.axhline(mu / 2, color=third.colour, linestyle="-.", label="mu / 2")
        floor = stopping_floor(mu)
        if floor > 0.0:
            value.axhline(floor, color="black", linestyle=":", label="proved lower bound")
        value.set_xscale("log")
        write_plainly(value.xaxis)
        value.set_xlabel("horizon T (log scale)")
        value.set_ylabel("expected share of ones when stopping")
        value.set_title(f"DP({mu:g}, {horizon:,}) = {values[-1]:.4f}")
        value.set_ylim(bottom=0)
        figure.legend(loc="outside lower center", ncols=4)
        set_headline(figure, "The lowest expected share of ones that a stopping rule can achieve")
    return figure


def _draw_lattice(axes: Axes, boundary: NDArray[np.float64], mu: float) -> None:
    """The boundary, the shaded stopping region, and the line where the share equals mu."""
    ink, other = pens(2)
    zeros, ones = boundary.T
    right = max([2.0, *zeros])
    top = max([2.0, *ones, 1.15 * right * mu / (1.0 - mu) if mu < 1.0 else 0.0])
    if len(boundary):
        axes.fill_between(
            zeros, ones, 0, step="post", color=ink.colour, alpha=0.2, lw=0, label="stop"
        )
        edge = np.vstack([[zeros[0], 0.0], boundary])  # from the bottom of the axes
        axes.step(*edge.T, where="post", color=ink.colour, linewidth=2.5, label="boundary")
    else:
        axes.plot([], [], " ", label="all stops have the same value")
    far = right + top
    axes.plot(
        [0.0, (1.0 - mu) * far],
        [0.0, mu * far],
        color=other.colour,
        linestyle="--",
        lw=2,
        label=f"share of ones = {mu:g}",
    )
    axes.set_xlim(0, 1.03 * right)
    axes.set_ylim(0, top)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, integer=True))
    axes.set_xlabel("zeros so far")
    axes.set_ylabel("ones so far")
