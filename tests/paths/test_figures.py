"""Drawings of the graphs: they hold what they should, and their labels do not overlap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Text

from kcmab_abm import make_scenario
from kcmab_abm.figures.lattice import draw_lattice
from kcmab_abm.figures.switching import MOST_ARROWS, draw_switching
from kcmab_abm.figures.tree import MOST_DEPTH, chosen_nodes, draw_tree, positions
from kcmab_abm.paths import LatticeRecorder, SwitchRecorder, TreeRecorder, find_paths

from .runs import MEANS, make_run, many_runs, recorded

SMALLEST_FONT = 12
TOLD = {"policy": "x", "customers": 8, "replications": 12, "seed": 1}


def market(arms, horizon=60, label="ucb"):
    """A market of so many arms."""
    means = [round(0.9 - 0.8 * arm / arms, 3) for arm in range(arms)]
    return make_scenario(
        {
            "horizon": horizon,
            "replications": 40,
            "market": {"arms": {"law": "bernoulli", "means": means}},
            "policy": [{"name": "ucb", "label": label}],
        }
    )


def hidden(figure):
    """The labels of ticks outside of what an axis shows, which are never drawn."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                if not low <= tick.get_loc() <= high:
                    yield from (tick.label1, tick.label2)


def texts(figure):
    """All texts of a figure, with the boxes that they fill, in pixels."""
    FigureCanvasAgg(figure).draw()
    unseen = set(hidden(figure))
    found = [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in unseen
    ]
    return [(text, text.get_window_extent()) for text in found]


def assert_readable(figure):
    """No text is small, none lies on another, none leaves the page."""
    shown = texts(figure)
    assert all(text.get_fontsize() >= SMALLEST_FONT for text, _ in shown)
    width, height = figure.canvas.get_width_height()
    for place, (text, box) in enumerate(shown):
        assert -1 <= box.x0 <= box.x1 <= width + 1, text
        assert -1 <= box.y0 <= box.y1 <= height + 1, text
        for other, other_box in shown[place + 1 :]:
            apart = (
                box.x1 <= other_box.x0 + 2
                or other_box.x1 <= box.x0 + 2
                or box.y1 <= other_box.y0 + 2
                or other_box.y1 <= box.y0 + 2
            )
            assert apart, (text, other)


@pytest.mark.parametrize("arms", [2, 4, 9, 30])
def test_drawings_can_be_read(arms):
    """For few arms and many, no label is small, covered or cut off."""
    found = find_paths(market(arms), depth=6, share=0.0, engine="market")
    for figure in (
        draw_tree(found.tree),
        draw_switching(found.switching),
        draw_lattice(found.lattice, 0.9),
    ):
        assert_readable(figure)


def test_a_long_history_can_be_read():
    """Hundreds of pulls get few ticks, and no lines that would hide the fields."""
    found = find_paths(market(2, 500).replace(replications=2), pulls=300, engine="market")
    figure = draw_lattice(found.lattice, 0.9)
    assert_readable(figure)
    assert len(figure.axes[0].get_yticks()) < 20
    assert not len(figure.axes[0].collections[0].get_edgecolor())


def test_a_long_label_fits():
    """The longest label that a policy may have does not leave the page."""
    found = find_paths(market(2, label="long label " * 7), engine="market")
    for figure in (draw_tree(found.tree), draw_switching(found.switching)):
        assert_readable(figure)


@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_markets_that_end_at_once(horizon):
    """Graphs with one node or no edge are drawn as well."""
    found = find_paths(market(2, horizon), engine="market")
    for figure in (
        draw_tree(found.tree),
        draw_switching(found.switching),
        draw_lattice(found.lattice, 0.9),
    ):
        assert_readable(figure)


@given(many_runs, st.integers(1, 8), st.integers(1, 6))
def test_the_drawn_tree_fits(runs, depth, rows):
    """Drawn nodes hang together, fill whole rows, and are no rarer than sisters left out."""
    tree = recorded(TreeRecorder(depth), runs)
    shown = chosen_nodes(tree, rows)
    places = positions(tree, shown)
    last = [name for name in shown if not set(tree.successors(name)) & set(shown)]
    assert sorted(places[name][1] for name in last) == list(range(len(last)))
    assert len(last) <= rows
    assert len(set(places.values())) == len(shown)
    for name in shown[1:]:
        (parent,) = tree.predecessors(name)
        assert parent in shown
        assert 0 < places[name][0] == places[parent][0] + 1 <= MOST_DEPTH
        sisters = set(tree.successors(parent)) - set(shown)
        visits = [tree.nodes[each]["visits"] for each in sisters]
        assert max(visits, default=0) <= tree.nodes[name]["visits"]


def test_the_busiest_arrows_are_drawn():
    """Of many steps between arms only the busiest are drawn, and the caption says which part."""
    found = find_paths(market(9, 200), engine="market")
    figure = draw_switching(found.switching)
    arrows = [each for each in figure.findobj(FancyArrowPatch) if each.get_visible()]
    assert 0 < len(arrows) <= MOST_ARROWS
    assert (
        f"{MOST_ARROWS} most frequent of {found.switching.number_of_edges()}"
        in figure.get_supxlabel()
    )


def test_those_who_left_are_drawn():
    """Customers without an arm appear as 'left' in tree and switches."""
    runs = [make_run([0, -1, -1, 1]), make_run([-1, 0, 2])]
    tree = recorded(TreeRecorder(), runs)
    switches = recorded(SwitchRecorder(MEANS), runs)
    lattice = recorded(LatticeRecorder(0), runs)
    for graph in (tree, switches, lattice):
        graph.graph.update(TOLD)
    for figure in (draw_tree(tree), draw_switching(switches)):
        assert_readable(figure)
        assert any(text.get_text() == "left" for text, _ in texts(figure))
