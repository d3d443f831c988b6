"""The costs as a figure: colours stand for policies, lines and markers for programs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from bench import against, growth
from bench.report import COST, Row
from kcmab_abm.figures.style import pens, save, styled


def spaced(number: int) -> str:
    """A number in the style of the axes."""
    return f"{number:,}".replace(",", " ")


NAME = "cost"
POLICIES = ("ucb", "ts", "modified-epsilon-greedy")
COLOURS = {policy: pen.colour for policy, pen in zip(POLICIES, pens(3), strict=True)}
GREY = "#444444"
MARKS = {  # dashes and marker; those of the peers are hollow, so that none hides another
    "batch": ("-", "o"),
    "market": ("--", "s"),
    "NumPy": ("-.", "X"),
    "river": (":", "^"),
    "SMPyBandits": (":", "v"),
    "mabby": (":", "D"),
    "MABWiser": (":", "P"),
}
LEGEND = {
    "batch": "our batch engine",
    "market": "our market engine",
    "NumPy": f"NumPy, {spaced(against.REPLICATIONS)} replications at once",
}
UNITS = {1.0: "1 ns", 1e1: "10 ns", 1e2: "100 ns", 1e3: "1 µs", 1e4: "10 µs", 1e5: "100 µs"}
UNITS |= {1e6: "1 ms", 1e7: "10 ms"}
SIZES = {1_000: "1 000", 10_000: "10⁴", 100_000: "10⁵", 1_000_000: "10⁶", 10_000_000: "10⁷"}
OTHERS = (against.TITLE, against.SWEEP)


def draw(folder: Path, rows: list[Row]) -> None:
    """Plot cost per customer against arms and customers, on logarithmic axes."""
    with styled():
        figure = Figure(figsize=(13.5, 9), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        draw_panel(left, by_arms(rows), rows, "arms")
        draw_panel(right, by_customers(rows), rows, "customers")
        label_peers(right, by_customers(rows))
        left.set_title(f"{spaced(growth.HORIZON)} customers")
        right.set_title("Nine arms")
        left.set_xlabel("arms")
        right.set_xlabel("customers in a replication")
        left.set_ylabel("processor time for one customer")
        add_legend(figure, rows)
        save(figure, folder, NAME, ("png",))


def by_arms(rows: Iterable[Row]) -> list[Row]:
    """The rows plotted against arms."""
    ours = [row for row in rows if row.measurement == growth.BY_ARMS]
    return ours + [row for row in others(rows) if row.customers == growth.HORIZON]


def by_customers(rows: Iterable[Row]) -> list[Row]:
    """The rows plotted against customers."""
    ours = [row for row in rows if row.measurement == growth.BY_HORIZON]
    return ours + [row for row in others(rows) if row.arms == growth.NINE]


def others(rows: Iterable[Row]) -> list[Row]:
    """The rows of NumPy and of the peers that were measured."""
    theirs = [row for row in rows if row.measurement in OTHERS and row.what != against.OURS]
    return [row for row in theirs if row.value is not None]


def draw_panel(panel: Axes, shown: list[Row], rows: list[Row], axis: str) -> None:
    """Draw one line per program and policy, or a point if there is only one size."""
    for who in MARKS:
        for policy, colour in COLOURS.items():
            line = sorted(
                (getattr(row, axis), row.value)
                for row in shown
                if name_of(row) == who and row.policy == policy
            )
            if line:
                panel.plot(*zip(*line, strict=True), **look(who, colour))
    draw_floor(panel, rows)
    set_scales(panel)


def name_of(row: Row) -> str:
    """The program's name without its version."""
    return row.what.split()[0]


def is_peer(row: Row) -> bool:
    """True if the row belongs to another library."""
    return name_of(row) in MARKS and name_of(row) not in LEGEND


def look(who: str, colour: str) -> dict[str, Any]:
    """The line style of a program."""
    dashes, marker = MARKS[who]
    ours = who in LEGEND
    return {
        "color": colour,
        "linestyle": dashes,
        "linewidth": 2.5,
        "marker": marker,
        "markersize": 8 if ours else 11,
        "markerfacecolor": colour if ours else "none",
        "markeredgewidth": 0.5 if ours else 1.8,
    }


def label_peers(panel: Axes, shown: list[Row]) -> None:
    """Label single points in the empty space to their right."""
    peers = [row for row in shown if is_peer(row)]
    points = sorted([(row.value or 0.0, name_of(row), row.policy) for row in peers])
    if not points:
        return
    heights = np.geomspace(0.8 * points[0][0], 1.6 * points[-1][0], len(points))
    for (value, name, policy), height in zip(points, heights, strict=True):
        panel.annotate(
            f"{name}, {policy}",
            (growth.HORIZON, value),
            xytext=(40 * growth.HORIZON, height),
            color=COLOURS[policy],
            va="center",
            arrowprops={
                "arrowstyle": "-",
                "color": GREY,
                "linewidth": 0.8,
                "relpos": (0, 0.5),
                "shrinkB": 6,
            },
        )


def draw_floor(panel: Axes, rows: list[Row]) -> None:
    """Draw the floor as a labelled line."""
    floors = [row.value for row in rows if row.what == "floor" and row.unit == COST]
    if floors:
        floor = min(value for value in floors if value is not None)
        panel.axhline(floor, color="black", linewidth=2)
        panel.annotate(
            "the floor: one uniform, drawn by compiled code",
            (0.99, floor),
            xycoords=("axes fraction", "data"),
            xytext=(0, 5),
            textcoords="offset points",
            ha="right",
        )


def set_scales(panel: Axes) -> None:
    """Logarithmic axes with readable units."""
    panel.set_xscale("log")
    panel.set_yscale("log")
    for scale, names in ((panel.xaxis, SIZES), (panel.yaxis, UNITS)):
        scale.set_major_locator(LogLocator(numticks=12))
        scale.set_major_formatter(
            FuncFormatter(lambda value, _, names=names: names.get(value, f"{value:g}"))
        )
        scale.set_minor_formatter(NullFormatter())


def add_legend(figure: Figure, rows: list[Row]) -> None:
    """Draw the legend: colours for policies, then lines for programs."""
    names = {name_of(row): row.what for row in rows if row.value is not None}
    handles = [Line2D([], [], color=c, linewidth=6, label=p) for p, c in COLOURS.items()]
    handles += [
        Line2D([], [], label=LEGEND.get(who, names[who]), **look(who, GREY))
        for who in MARKS
        if who in names
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, handlelength=3.5)
