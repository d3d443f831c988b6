"""The prefix tree against counts by hand and by brute force."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm import play, simulate
from kcmab_abm.paths import TreeRecorder, prefix_tree
from kcmab_abm.paths.tree import prefix_name

from .runs import make_run, many_runs, recorded, shown, small_scenario

shares = st.sampled_from([0.0, 0.1, 0.3, 1.0])


def beginnings(run, depth, seeding):
    """All prefixes of a run down to a depth, the empty one first."""
    arms = tuple(arm for arm, _, _ in shown(run, seeding))[:depth]
    return [arms[:length] for length in range(len(arms) + 1)]


def ends_wrong(run):
    """Whether nine in ten of the second half, unbidden, took one and the same wrong arm."""
    last = (len(run) + 1) // 2
    chosen = list(zip(run.arms[-last:], run.seeded[-last:], strict=True))
    return any(chosen.count((arm, False)) >= 0.9 * last for arm in (1, 2))


def test_three_runs_by_hand():
    """Visits, payments, regret to come and lock-ins of a tree that fits on a page."""
    runs = [
        make_run([0, 1, 2, 0, 0, 0, 0], [0, 0, 0, 0.2, 0.0, 0.4, 0], seeded=3),
        make_run([0, 1, 2, 0, 1, 1, 1, 1], [0, 0, 0, 0.4, 0.1, 0, 0, 0], seeded=3),
        make_run([0, 1, 2, -1, -1, -1, 0], seeded=3),
    ]
    tree = recorded(TreeRecorder(depth=2), runs)
    assert list(tree) == ["start", "left", "left-left", "0", "0-0", "0-1"]
    assert tree.nodes["0"] == {
        "label": "arm 0",
        "arm": 0,
        "depth": 1,
        "visits": 2,
        "share": 2 / 3,
        "payment": pytest.approx(0.3),
        "payment_so_far": pytest.approx(0.3),
        "regret_to_come": pytest.approx(0.6),
        "locked_in": 0.5,
        "locked_runs": 1,
        "pruned": 0,
        "ended": 0,
    }
    assert tree.nodes["0-1"]["payment"] == pytest.approx(0.1)
    assert tree.nodes["0-1"]["payment_so_far"] == pytest.approx(0.5)
    assert tree.nodes["left-left"]["label"] == "left"
    assert tree.nodes["left-left"]["regret_to_come"] == pytest.approx(0.8)
    assert tree.edges["0", "0-1"] == {"visits": 1, "probability": 0.5}


def test_seeding_is_shown_on_demand():
    """With `seeding` the tree begins with the customers whom the controller directed."""
    runs = [make_run([0, 1, 2, 1], seeded=3), make_run([0, 1, 2, 0], seeded=3)]
    assert list(recorded(TreeRecorder(), runs)) == ["start", "0", "1"]
    tree = recorded(TreeRecorder(seeding=True), runs)
    assert list(tree) == ["start", "0", "0-1", "0-1-2", "0-1-2-0", "0-1-2-1"]


@given(many_runs, st.integers(1, 4), shares, st.booleans())
def test_nodes_equal_brute_force(runs, depth, share, seeding):
    """Every frequent prefix is a node, no other is, and its numbers are those of its runs."""
    tree = recorded(TreeRecorder(depth, share, seeding), runs)
    prefixes = {prefix for run in runs for prefix in beginnings(run, depth, seeding)}
    begin = {
        prefix: [run for run in runs if prefix in beginnings(run, depth, seeding)]
        for prefix in prefixes
    }
    kept = {prefix: those for prefix, those in begin.items() if len(those) / len(runs) >= share}
    assert set(tree) == {prefix_name(prefix) for prefix in kept}
    for prefix, those in kept.items():
        node, length = tree.nodes[prefix_name(prefix)], len(prefix)
        rows = [shown(run, seeding) for run in those]
        paid = [[payment for _, payment, _ in row[:length]] for row in rows]
        to_come = [sum(regret for _, _, regret in row[length:]) for row in rows]
        locked = sum(map(ends_wrong, those))
        count = len(those)
        assert (node["visits"], node["locked_runs"]) == (count, locked)
        assert (node["share"], node["locked_in"]) == (count / len(runs), locked / count)
        assert node["payment"] == pytest.approx(sum(sum(row[-1:]) for row in paid) / count)
        assert node["payment_so_far"] == pytest.approx(sum(map(sum, paid)) / count)
        assert node["regret_to_come"] == pytest.approx(sum(to_come) / count)


@given(many_runs, st.integers(1, 4), shares, st.booleans())
def test_no_run_is_lost(runs, depth, share, seeding):
    """Above the last level a node's runs are those of its children, those pruned, those ended."""
    tree = recorded(TreeRecorder(depth, share, seeding), runs)
    for name, node in tree.nodes.items():
        children = sum(tree.nodes[child]["visits"] for child in tree.successors(name))
        gone = children + node["pruned"] + node["ended"]
        assert gone == (0 if node["depth"] == depth else node["visits"])
    assert sum(tree.edges[edge]["visits"] for edge in tree.edges) == sum(
        node["visits"] for node in tree.nodes.values() if node["depth"]
    )


@given(many_runs, st.randoms())
def test_the_order_of_runs_does_not_matter(runs, random):
    """Nodes, edges and counts are the same whatever run comes first."""
    other = list(runs)
    random.shuffle(other)
    one, two = (recorded(TreeRecorder(), each) for each in (runs, other))
    assert list(one) == list(two)
    assert list(one.edges(data="visits")) == list(two.edges(data="visits"))


def test_a_scenario_is_replayed():
    """The tree of a scenario is the tree of its trajectories, and says whose runs it shows."""
    scenario = small_scenario()
    runs = [play(scenario, "greedy", each, engine="market") for each in range(12)]
    tree = prefix_tree(scenario, "greedy", depth=3, engine="market")
    expected = recorded(TreeRecorder(3), runs)
    assert dict(tree.nodes) == dict(expected.nodes)
    assert tree.graph == {
        "kind": "prefix tree",
        "depth": 3,
        "pruned_below": 0.0,
        "seeding": False,
        "policy": "greedy",
        "customers": 25,
        "replications": 12,
        "seed": 5,
    }


def test_all_runs_together_are_the_summary():
    """Regret and lock-ins at the root are those that a simulation reports."""
    scenario = small_scenario()
    tree = prefix_tree(scenario, "greedy", engine="market", seeding=True)
    summary = simulate(scenario, engine="market").summary().set_index("policy").loc["greedy"]
    assert tree.nodes["start"]["regret_to_come"] == pytest.approx(summary["regret"])
    assert tree.nodes["start"]["locked_in"] == pytest.approx(summary["locked_in"])
    assert 0.0 < summary["locked_in"] < 1.0


def test_both_engines_give_the_same_tree():
    """The compiled engine replays the very same runs."""
    scenario = small_scenario()
    trees = [prefix_tree(scenario, "ucb", engine=engine) for engine in ("market", "batch")]
    assert dict(trees[0].nodes) == dict(trees[1].nodes)


def test_progress_counts_runs():
    """Progress is reported after every run, with their number."""
    calls = []
    prefix_tree(small_scenario(), engine="market", progress=lambda *call: calls.append(call))
    assert calls == [(done, 12) for done in range(1, 13)]


@pytest.mark.parametrize("wrong", [{"depth": 0}, {"share": -0.1}, {"share": float("nan")}])
def test_bad_settings_are_refused(wrong):
    """A depth or share that makes no sense is named."""
    with pytest.raises(ValueError, match=next(iter(wrong))):
        TreeRecorder(**wrong)
