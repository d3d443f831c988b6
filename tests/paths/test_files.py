"""Graphs as GraphML and JSON: nothing is lost, and the same graph is the same file."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from kcmab_abm.paths import (
    LatticeRecorder,
    SwitchRecorder,
    TreeRecorder,
    prefix_tree,
    read_graph,
    write_graph,
)

from .runs import MEANS, many_runs, recorded, small_scenario


def same(one, other):
    """Whether two graphs are equal: nodes and edges in order, and all that is known of them."""
    return (
        list(one.nodes(data=True)) == list(other.nodes(data=True))
        and list(one.edges(data=True)) == list(other.edges(data=True))
        and one.graph == other.graph
    )


@given(many_runs)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_round_trip(tmp_path, runs):
    """Both files give the graph back, to the last bit of every number."""
    for recorder in (TreeRecorder(), LatticeRecorder(1), SwitchRecorder(MEANS)):
        graph = recorded(recorder, runs)
        write_graph(graph, tmp_path, "graph")
        assert same(graph, read_graph(tmp_path / "graph.json"))
        assert same(graph, read_graph(tmp_path / "graph.graphml"))


def test_the_same_bytes(tmp_path):
    """The same runs, replayed, are written as the same bytes."""
    for name in ("one", "two"):
        write_graph(prefix_tree(small_scenario(), engine="market"), tmp_path, name)
    for ending in ("json", "graphml"):
        one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
        assert one == two


@pytest.mark.parametrize("label", ['a < b & "c"', "\u4e2d \U0001f600", "no letter \ufffe"])
def test_any_label_makes_a_file_that_can_be_read(label, tmp_path):
    """JSON keeps every label; GraphML all but the characters that XML does not know."""
    scenario = small_scenario(policy=[{"name": "greedy", "label": label}])
    write_graph(prefix_tree(scenario, engine="market"), tmp_path, "tree")
    assert read_graph(tmp_path / "tree.json").graph["policy"] == label
    spelled = label.replace("\ufffe", "?")
    assert read_graph(tmp_path / "tree.graphml").graph["policy"] == spelled
