"""The switches between arms: width shows frequency, colour shows compensation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch

from kcmab_abm.figures.style import percent, set_headline, styled, wrapped

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.DiGraph[str]
    Places = dict[str, tuple[float, float]]

MOST_ARMS = 12  # with labels around the ellipse
MOST_ARROWS = 24
_WIDE = 1.45  # width of the ellipse relative to its height
_NODE = 0.105  # radius of a node
_GAP = 26  # points between an arrow and the centre of its node
_FREE = "#B0B0B0"  # the colour of unpaid steps
_NARROWEST, _WIDEST = 1.2, 11.0  # points


def draw_switching(switches: Graph) -> Figure:
    """Arrows between arms: width by share of steps, colour by compensation."""
    runs = switches.graph["replications"]
    places = _places(switches)
    arrows = _arrows(switches, places)
    money = [step["payments"] / runs for _, _, step in arrows]
    # Without its palest part, which is hard to see as a line on white.
    shades = ListedColormap(mpl.colormaps["viridis_r"](range(60, 256)))
    colours = ScalarMappable(Normalize(0.0, max(money, default=0.0)), shades)
    with styled():
        high = 1.5 if len(places) > 2 else 0.8  # two arms lie side by side
        figure = Figure(figsize=(13, 3.0 + 4.0 * high), layout="constrained")
        axes = figure.subplots()
        for start, end, step in arrows:
            paid = step["payments"] / runs
            colour = colours.to_rgba(paid) if paid > 0.0 else _FREE
            width = _NARROWEST + (_WIDEST - _NARROWEST) * step["share"] ** 0.5
            if start == end:
                _draw_stay(axes, places[start], colour, width)
            else:
                _draw_arrow(axes, places[start], places[end], colour, width)
        for name, place in places.items():
            _draw_arm(axes, switches.nodes[name], place)
        axes.set_xlim(-2.3, 2.3)
        axes.set_ylim(-high, high)
        axes.set_aspect("equal")
        axes.axis("off")
        if any(money):
            bar = figure.colorbar(colours, ax=axes, fraction=0.035, pad=0.01, aspect=30)
            bar.set_label("compensation per run on this step (grey: none)")
        set_headline(figure, _title(switches, runs), 16)
        figure.supxlabel(_caption(switches, places, arrows), fontsize=12)
    return figure


def _places(switches: Graph) -> Places:
    """The places of the most pulled arms on an ellipse, in order, from the left."""
    busiest = sorted(switches, key=lambda name: -switches.nodes[name]["pulls"])[:MOST_ARMS]
    names = [name for name in switches if name in busiest]
    angles = [math.tau * place / len(names) for place in range(len(names))]
    return {
        name: (-_WIDE * math.cos(a), math.sin(a)) for name, a in zip(names, angles, strict=True)
    }


def _arrows(switches: Graph, places: Places) -> list[tuple[str, str, dict[str, Any]]]:
    """The most frequent steps between these arms, the most frequent drawn last."""
    steps = [
        (start, end, step)
        for start, end, step in switches.edges(data=True)
        if start in places and end in places
    ]
    return sorted(steps, key=lambda each: each[2]["count"])[-MOST_ARROWS:]


def _draw_arrow(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: Any, width: float
) -> None:
    arrow = FancyArrowPatch(
        start,
        end,
        connectionstyle="arc3,rad=0.14",
        arrowstyle=f"-|>,head_length={5 + 1.1 * width},head_width={3 + 0.7 * width}",
        mutation_scale=1.0,
        shrinkA=_GAP,
        shrinkB=_GAP,
        linewidth=width,
        color=colour,
        capstyle="butt",
        joinstyle="miter",
        zorder=1,
    )
    axes.add_patch(arrow)


def _outward(place: tuple[float, float], distance: float) -> tuple[float, float]:
    """The point at this distance outside a place on the ellipse."""
    x, y = place[0] / _WIDE**2, place[1]
    length = math.hypot(x, y)
    return place[0] + distance * x / length, place[1] + distance * y / length


def _draw_stay(axes: Axes, place: tuple[float, float], colour: Any, width: float) -> None:
    """A ring outside the node for customers who take the same arm as the one before."""
    ring = Circle(
        _outward(place, 0.13), 0.115, fill=False, edgecolor=colour, linewidth=width, zorder=2
    )
    axes.add_patch(ring)


def _draw_arm(axes: Axes, node: dict[str, Any], place: tuple[float, float]) -> None:
    axes.add_patch(Circle(place, _NODE, facecolor="white", edgecolor="black", lw=2, zorder=3))
    axes.annotate(
        node["label"].removeprefix("arm "),
        place,
        ha="center",
        va="center_baseline",
        fontsize=14,
        fontweight="bold",
        zorder=4,
    )
    gone = node["arm"] < 0
    number = node["pulls_a_run"]
    words = f"{number:,.{0 if number >= 10 else 1}f} " + ("customers" if gone else "pulls")
    if not gone:
        words = f"mean {node['mean']:.3g}\n{words}"
    x, y = _outward(place, 0.3)
    sideways = abs(x) > 0.5 and abs(y) < 0.95
    axes.annotate(
        words,
        (x, y),
        ha=("left" if x > 0 else "right") if sideways else "center",
        va="center" if sideways else ("bottom" if y > 0 else "top"),
        fontsize=12.5,
    )


def _title(switches: Graph, runs: int) -> str:
    policy = wrapped(switches.graph.get("policy", ""), 60, 1)
    paid = sum(node["payments"] for node in switches.nodes.values()) / runs
    return (
        f"{policy}: steps from arm to arm, and compensation\n"
        f"{runs:,} runs of {switches.graph['customers']:,} customers, "
        f"compensation {paid:,.1f} per run"
    )


def _caption(switches: Graph, places: Places, arrows: list[Any]) -> str:
    drawn, steps = sum(step["share"] for _, _, step in arrows), switches.number_of_edges()
    arms = "" if len(places) == len(switches) else f"the {len(places)} most pulled arms; "
    which = f"the {len(arrows)} most frequent of {steps} steps, {percent(drawn)} of all"
    return (
        f"{arms}arrows: {which if len(arrows) < steps else 'all steps'}; width: share; "
        "ring: the same arm again; pulls: mean per run"
    )
