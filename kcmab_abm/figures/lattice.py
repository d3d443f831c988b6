"""The reward lattice: the history of one arm, as numbers of ones and zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from kcmab_abm.figures.style import percent, set_headline, styled, wrapped

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.DiGraph[str]

_LARGEST = 44.0  # points: diameter of a dot for all runs
_MOST_TICKS = 15
_MOST_LINES = 60  # more fields in a row have no lines between them
_STOP = "#E69F00"


def draw_lattice(lattice: Graph, mean: float) -> Figure:
    """The points visited (colour), and those after which the arm is never pulled again (dots)."""
    told, runs = lattice.graph, lattice.nodes["0-0"]["visits"]
    # Without its palest part, which is invisible on white.
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
        bar.set_label("share of runs through this point")
        ticks = [share for share in (1.0, 0.1, 0.01, 0.001) if share >= least]
        bar.set_ticks(ticks, labels=[percent(share) for share in ticks])
        bar.ax.minorticks_off()
        figure.legend(
            handles=_keys(mean, stops), loc="outside lower center", ncols=4, columnspacing=2.5
        )
        policy = wrapped(told.get("policy", ""), 60, 1)
        set_headline(
            figure,
            f"{policy}: the history of arm {told['arm']} over its first {told['pulls']:,} pulls\n"
            f"{runs:,} runs of {told['customers']:,} customers",
            16,
        )
    return figure


def _draw_points(
    axes: Axes, lattice: Graph, scale: LogNorm, shades: ListedColormap
) -> tuple[int, int]:
    """A field per point; returns the largest numbers of zeros and ones."""
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
    """Dots where runs never pull the arm again; returns True if there are any."""
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
    """The legend entries."""
    dots = [
        Line2D(
            [],
            [],
            color=_STOP,
            marker="o",
            linestyle="",
            markeredgecolor="black",
            markersize=_LARGEST * share**0.5,
            label=f"{percent(share)} never pull it again",
        )
        for share in (0.02, 0.1, 0.3)
    ]
    line = Line2D([], [], color="black", linestyle="--", lw=2, label=f"true mean {mean:.3g}")
    return [*dots, line] if stops else [line]
