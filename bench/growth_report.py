"""The growth of costs as tables and as a figure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from rich.console import Console
from rich.table import Table

from bench.growth import POLICIES, Point
from bench.report import decimals, write

COLOURS = {
    "ucb": "#0072B2",
    "modified-epsilon-greedy": "#009E73",
    "modified-ts": "#E69F00",
    "ts": "#D55E00",
}
MARKERS = {"ucb": "o", "modified-epsilon-greedy": "s", "modified-ts": "^", "ts": "D"}
PANELS = {
    "arms": "arms (10 000 customers)",
    "horizon": "customers a replication (nine arms)",
    "replications": "replications a call (nine arms, 1 000 customers)",
}


def by_sweep(points: Iterable[Point]) -> dict[str, list[Point]]:
    """The points of each sweep."""
    return {name: list(group) for name, group in groupby(points, lambda point: point.sweep)}


def grid(points: list[Point]) -> list[list[float]]:
    """One line a size: the size, then the cost of every policy."""
    cost = {(point.size, point.policy): point.cost for point in points}
    sizes = sorted({point.size for point in points})
    return [[size, *(cost[size, policy] for policy in POLICIES)] for size in sizes]


def show(console: Console, points: Iterable[Point]) -> None:
    """Print one table a sweep."""
    for name, group in by_sweep(points).items():
        table = Table(name, *POLICIES, title=f"ns/customer against {PANELS[name]}")
        for column in table.columns:
            column.justify = "right"
        for size, *costs in grid(group):
            table.add_row(f"{size:,}", *(f"{cost:,.{decimals(cost)}f}" for cost in costs))
        console.print(table)


def keep(folder: Path, points: Iterable[Point]) -> None:
    """Write one CSV a sweep and the figure."""
    sweeps = by_sweep(points)
    for name, group in sweeps.items():
        lines = [[int(size), *(f"{c:.2f}" for c in costs)] for size, *costs in grid(group)]
        write(folder / f"growth-{name}.csv", [name, *POLICIES], lines)
    draw(folder / "growth.png", sweeps)


def draw(path: Path, sweeps: dict[str, list[Point]]) -> None:
    """Cost a customer against the size of the market, both axes logarithmic."""
    plt.rcParams.update({"font.size": 12})
    figure, panels = plt.subplots(
        1, len(sweeps), figsize=(5 * len(sweeps), 5), layout="constrained", sharey=True
    )
    for panel, (name, points) in zip(panels, sweeps.items(), strict=True):
        draw_panel(panel, points)
        panel.set_xlabel(PANELS[name])
    panels[0].set_ylabel("nanoseconds a customer, one core")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def draw_panel(panel: Axes, points: list[Point]) -> None:
    """One line a policy."""
    for policy in POLICIES:
        line = [(point.size, point.cost) for point in points if point.policy == policy]
        panel.plot(
            *zip(*line, strict=True), color=COLOURS[policy], marker=MARKERS[policy], label=policy
        )
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.grid(alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)
