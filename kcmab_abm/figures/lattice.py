"""The lattice of ones and zeros through which the history of one arm passes."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from kcmab_abm.figures.style import percent, styled

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.DiGraph[str]

_LARGEST = 44.0  # points: diameter of the dot of all runs
_MOST_TICKS = 15
_MOST_LINES = 60  # fields in a row, beyond which lines between them would hide them
_STOP = "#E69F00"


def draw_lattice(lattice: Graph, mean: float) -> Figure:
    """Where an arm's record has been (colour), and where it was left for good (dots)."""
    told, runs = lattice.graph, lattice.nodes["0-0"]["visits"]
    # Without its palest part, which looks like the paper.
    shades = ListedColormap(mpl.colormaps["Blues"](range(45, 256)))
    least = min(0.01, 1.0 / runs)
    scale = LogNorm(least, 1.0)
    colours = ScalarMappable(scale, shades)
    with styled():
        figure = Figure(figsize=(13, 8), layout="constrained")
        axes = figure.subplots()
        zeros, ones = _draw_points(axes, lattice, scale, shades)
        far = zeros + ones + 2
        axes.plot([0, far * (1.0 - mean)], [0, far * mean], color="black", linestyle="--", lw=2)
        stops = _draw_stops(axes, lattice, runs)
        axes.set_xlim(-0.6, zeros + 0.6)
        axes.set_ylim(-0.6, ones + 0.6)
        axes.set_xlabel("zeros so far")
        axes.set_ylabel("ones so far")
        axes.grid(visible=False)
        axes.set_xticks(range(0, zeros + 1, 1 + zeros // _MOST_TICKS))
        axes.set_yticks(range(0, ones + 1, 1 + ones // _MOST_TICKS))
        bar = figure.colorbar(colours, ax=axes, fraction=0.04, pad=0.01, aspect=30)
        bar.set_label("share of the runs that come through here")
        ticks = [share for share in (1.0, 0.1, 0.01, 0.001) if share >= least]
        bar.set_ticks(ticks, labels=[percent(share) for share in ticks])
        bar.ax.minorticks_off()
        figure.legend(
            handles=_keys(mean, stops), loc="outside lower center", ncols=4, columnspacing=2.5
        )
        policy = textwrap.shorten(told.get("policy", ""), 60)
        figure.suptitle(
            f"{policy}: the record of arm {told['arm']} over its first {told['pulls']:,} pulls\n"
            f"{runs:,} runs of {told['customers']:,} customers",
            fontsize=16,
        )
    return figure


def _draw_points(
    axes: Axes, lattice: Graph, scale: LogNorm, shades: ListedColormap
) -> tuple[int, int]:
    """A field for each point; returns the most zeros and the most ones."""
    points = lattice.nodes.values()
    zeros, ones = (max(point[word] for point in points) for word in ("zeros", "ones"))
    shares = np.full((ones + 1, zeros + 1), np.nan)
    for point in points:
        shares[point["ones"], point["zeros"]] = point["share"]
    axes.pcolormesh(
        np.arange(zeros + 1),
        np.arange(ones + 1),
        np.ma.masked_invalid(shares),
        shading="nearest",
        cmap=shades,
        norm=scale,
        edgecolor="white" if max(zeros, ones) <= _MOST_LINES else "none",
        linewidth=1.0,
    )
    return zeros, ones


def _draw_stops(axes: Axes, lattice: Graph, runs: int) -> bool:
    """A dot where runs pull the arm no more; returns whether there is any."""
    stops = [point for point in lattice.nodes.values() if point["stopped"]]
    axes.scatter(
        [point["zeros"] for point in stops],
        [point["ones"] for point in stops],
        s=[_LARGEST**2 * point["stopped"] / runs for point in stops],
        color=_STOP,
        edgecolor="black",
        linewidth=0.8,
        zorder=3,
    )
    return bool(stops)


def _keys(mean: float, stops: bool) -> list[Line2D]:
    """What dots and line mean."""
    dots = [
        Line2D(
            [],
            [],
            color=_STOP,
            marker="o",
            linestyle="",
            markeredgecolor="black",
            markersize=_LARGEST * share**0.5,
            label=f"{percent(share)} pull it no more",
        )
        for share in (0.02, 0.1, 0.3)
    ]
    line = Line2D([], [], color="black", linestyle="--", lw=2, label=f"true mean {mean:.3g}")
    return [*dots, line] if stops else [line]
