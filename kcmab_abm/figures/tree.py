"""The prefix tree of arm choices, from the first customer on the left to the last on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnnotationBbox, TextArea, VPacker
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from kcmab_abm.figures.style import percent, readable_on, set_headline, styled, wrapped

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.DiGraph[str]

MOST_ROWS = 16  # paths with readable labels on a slide
MOST_DEPTH = 5
_ROW = 0.47  # inches
_SMALLEST, _LARGEST = 25.0, 44.0  # points: diameters of nodes for no run and for all runs
_WORD = 36.0  # points: diameter of a node that contains a word
_LABELLED = 0.55  # share of a column reserved for the label, before lines branch
_LOCK, _INK, _PALE = "#D55E00", "#222222", "#BDBDBD"
_GREY = {"fontsize": 12.5, "color": "#6E6E6E"}


def draw_tree(tree: Graph) -> Figure:
    """The tree: width and size by share of runs, colour by regret to come."""
    shown = chosen_nodes(tree)
    places = positions(tree, shown)
    rows = 1 + max(y for _, y in places.values())
    regrets = [tree.nodes[name]["regret_to_come"] for name in shown]
    colours = ScalarMappable(Normalize(min(regrets), max(regrets)), mpl.colormaps["cividis"])
    with styled():
        figure = Figure(figsize=(13, max(4.5, _ROW * rows + 2.1)), layout="constrained")
        axes = figure.subplots()
        for name, child in tree.edges:
            if child in places:
                _draw_edge(axes, places[name], places[child], tree.nodes[child]["share"])
        for name in shown:
            _draw_node(axes, places[name], tree.nodes[name], _unseen(tree, name, shown), colours)
        _set_frame(axes, tree, max(x for x, _ in places.values()), rows)
        bar = figure.colorbar(colours, ax=axes, fraction=0.04, pad=0.01, aspect=30)
        bar.set_label("mean regret to come")
        set_headline(figure, _title(tree), 16)
        figure.supxlabel(
            "circle: arm; percentage: share of all runs (in brackets: those whose next step is "
            "not drawn)\norange ring: most of these runs end locked in on a wrong arm",
            fontsize=12,
        )
    return figure


def chosen_nodes(tree: Graph, most: int = MOST_ROWS) -> list[str]:
    """The nodes to draw: the most frequent ones that fit into so many rows."""
    root = next(iter(tree))
    shown, waiting, rows = [root], list(tree.successors(root)), 1
    parents = set()
    while waiting:
        name = max(waiting, key=lambda each: tree.nodes[each]["visits"])
        waiting.remove(name)
        parent = next(iter(tree.predecessors(name)))
        if parent in parents and rows == most:
            continue
        rows += parent in parents
        parents.add(parent)
        shown.append(name)
        if tree.nodes[name]["depth"] < MOST_DEPTH:
            waiting.extend(tree.successors(name))
    return [name for name in tree if name in set(shown)]


def positions(tree: Graph, shown: list[str]) -> dict[str, tuple[float, float]]:
    """Column and row of every node: one row per leaf, parents centred on their children."""
    rows: dict[str, float] = {}
    free = 0

    def settle(name: str) -> float:
        nonlocal free
        heights = [settle(child) for child in tree.successors(name) if child in drawn]
        if heights:
            rows[name] = (heights[0] + heights[-1]) / 2
        else:
            rows[name] = free
            free += 1
        return rows[name]

    drawn = set(shown)
    settle(shown[0])
    return {name: (float(tree.nodes[name]["depth"]), rows[name]) for name in shown}


def _unseen(tree: Graph, name: str, shown: list[str]) -> float:
    """The share of the runs whose next step from here is not drawn."""
    node = tree.nodes[name]
    if node["depth"] in (MOST_DEPTH, tree.graph["depth"]):
        return 0.0
    drawn = sum(tree.nodes[child]["visits"] for child in tree.successors(name) if child in shown)
    unseen: float = node["share"] * (node["visits"] - node["ended"] - drawn) / node["visits"]
    return unseen


def _draw_edge(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], share: float
) -> None:
    (left, top), (right, bottom) = (start[0] + _LABELLED, start[1]), end
    middle = (left + right) / 2
    points = [start, (left, top), (middle, top), (middle, bottom), (right, bottom)]
    codes = [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    line = PathPatch(
        Path(points, codes), fill=False, edgecolor=_PALE, linewidth=1.0 + 13.0 * share, zorder=1
    )
    axes.add_patch(line)


def _draw_node(
    axes: Axes,
    place: tuple[float, float],
    node: dict[str, Any],
    unseen: float,
    colours: ScalarMappable,
) -> None:
    size = _SMALLEST + (_LARGEST - _SMALLEST) * node["share"] ** 0.5
    if node.get("arm") == -1:
        size = max(size, _WORD)
    fill = colours.to_rgba(node["regret_to_come"])
    locked = node["locked_in"] > 0.5
    axes.scatter(
        *place,
        s=size**2,
        color=fill,
        edgecolor=_LOCK if locked else _INK,
        linewidth=4 if locked else 1,
        zorder=2,
    )
    axes.annotate(
        str(node.get("arm", "")).replace("-1", "left"),
        place,
        color=readable_on(fill),
        ha="center",
        va="center_baseline",
        fontweight="bold",
        fontsize=12.5,
    )
    words: list[Artist] = [
        TextArea(percent(node["share"]), textprops={"fontsize": 12.5, "color": _INK})
    ]
    if unseen > 0.0:
        words.append(TextArea(f"({percent(unseen)})", textprops=_GREY))
    label = AnnotationBbox(
        VPacker(children=words, pad=0, sep=1, align="left"),
        place,
        (size / 2 + 4, 0),
        boxcoords="offset points",
        box_alignment=(0, 0.5),
        bboxprops={"boxstyle": "square,pad=0.1", "edgecolor": "none"},
    )
    axes.add_artist(label)


def _set_frame(axes: Axes, tree: Graph, columns: float, rows: float) -> None:
    axes.set_xlim(-0.2, columns + 0.62)
    axes.set_ylim(rows - 0.4, -0.9)
    axes.set_yticks([])
    axes.xaxis.tick_top()
    kind = "customer" if tree.graph["seeding"] else "step"
    ordinals = [f"{kind} {k}" for k in range(1, int(columns) + 1)]
    axes.set_xticks(range(int(columns) + 1), ["start", *ordinals])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)


def _title(tree: Graph) -> str:
    told = tree.graph
    begin = "from the first customer" if told["seeding"] else "once every arm has a report"
    policy = wrapped(told.get("policy", ""), 60, 1)
    return (
        f"{policy}: arms taken, {begin}\n"
        f"{told.get('replications', tree.nodes[next(iter(tree))]['visits']):,} runs of "
        f"{told.get('customers', 0):,} customers"
    )
