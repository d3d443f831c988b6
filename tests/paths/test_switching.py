"""The switching graph against counts by hand and by brute force."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm import play
from kcmab_abm.paths import SwitchRecorder, switching_graph

from .runs import MEANS, make_run, many_runs, recorded, shown, small_scenario


def name(arm):
    """An arm as the graph calls it."""
    return "left" if arm == -1 else str(arm)


def test_one_run_by_hand():
    """Payments go to the edge on which the paid customer came."""
    run = make_run([0, 1, 2, 2, 0, -1, 2], [9, 9, 9, 0.1, 0.2, 0, 0.5], seeded=3)
    switches = recorded(SwitchRecorder(MEANS), [run])
    assert dict(switches.edges) == {
        ("2", "0"): {"count": 1, "share": 1 / 3, "payments": 0.2, "payment": 0.2},
        ("0", "left"): {"count": 1, "share": 1 / 3, "payments": 0.0, "payment": 0.0},
        ("left", "2"): {"count": 1, "share": 1 / 3, "payments": 0.5, "payment": 0.5},
    }
    assert switches.nodes["2"] == {
        "label": "arm 2",
        "arm": 2,
        "mean": 0.3,
        "pulls": 2,
        "pulls_a_run": 2.0,
        "payments": pytest.approx(0.6),
    }
    assert switches.nodes["1"]["pulls"] == 0


def test_nobody_left_no_node():
    """The node of those who left is there only if somebody did."""
    assert list(recorded(SwitchRecorder(MEANS), [make_run([0, 1])])) == ["0", "1", "2"]
    assert "left" in recorded(SwitchRecorder(MEANS), [make_run([0, -1])])


@given(many_runs, st.booleans())
def test_steps_equal_brute_force(runs, seeding):
    """Counts, shares and payments of nodes and edges are those of the customers."""
    switches = recorded(SwitchRecorder(MEANS, seeding), runs)
    rows = [shown(run, seeding) for run in runs]
    steps = [
        (name(before[0]), name(after[0]), after[1])
        for row in rows
        for before, after in itertools.pairwise(row)
    ]
    assert set(switches.edges) == {(i, j) for i, j, _ in steps}
    for i, j, edge in switches.edges(data=True):
        paid = [payment for before, after, payment in steps if (before, after) == (i, j)]
        assert edge["count"] == len(paid)
        assert edge["share"] == len(paid) / len(steps)
        assert edge["payments"] == pytest.approx(sum(paid))
        assert edge["payment"] == pytest.approx(sum(paid) / len(paid))
    customers = [(name(arm), payment) for row in rows for arm, payment, _ in row]
    for arm, node in switches.nodes.items():
        paid = [payment for taken, payment in customers if taken == arm]
        assert node["pulls"] == len(paid)
        assert node["pulls_a_run"] == len(paid) / len(runs)
        assert node["payments"] == pytest.approx(sum(paid))


@given(many_runs)
def test_the_flow_is_kept(runs):
    """An arm is entered as often as it is pulled, but for the first customer of each run."""
    switches = recorded(SwitchRecorder(MEANS, seeding=True), runs)
    first = [name(run.arms[0]) for run in runs]
    for arm, node in switches.nodes.items():
        entered = sum(edge["count"] for _, _, edge in switches.in_edges(arm, data=True))
        assert entered == node["pulls"] - first.count(arm)


def test_a_scenario_is_replayed():
    """The graph of a scenario has its true means and all that was paid."""
    scenario = small_scenario()
    runs = [play(scenario, "ucb", each, engine="market") for each in range(12)]
    switches = switching_graph(scenario, "ucb", engine="market")
    assert [node["mean"] for node in switches.nodes.values()] == [0.7, 0.5, 0.2]
    paid = sum(node["payments"] for node in switches.nodes.values())
    assert paid == pytest.approx(sum(run.payments.sum() for run in runs))
    assert paid > 0.0
    assert switches.graph["policy"] == "ucb"
