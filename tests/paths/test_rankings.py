"""Small tables of the paths that stand out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm.paths import (
    SwitchRecorder,
    TreeRecorder,
    expensive,
    locking,
    path_table,
    switch_table,
    travelled,
)
from kcmab_abm.paths.rankings import ranked_depth

from .runs import MEANS, make_run, many_runs, recorded


@pytest.fixture
def tree():
    """Six runs: 0-0 three times, 1-1 twice and locked in, 2-0 once and dear."""
    runs = [
        *[make_run([0, 0, 0], [0.1, 0, 0])] * 3,
        make_run([1, 1, 1]),
        make_run([1, 1, 2, 2]),
        make_run([2, 0, 0], [0.5, 0.2, 0]),
    ]
    return recorded(TreeRecorder(2), runs)


def test_most_travelled(tree):
    """Paths in the order of their runs."""
    assert list(travelled(tree)["path"]) == ["0-0", "1-1", "2-0"]
    assert list(travelled(tree, depth=1, most=2)["path"]) == ["0", "1"]


def test_most_expensive(tree):
    """Paths in the order of their mean payments; free ones and rare ones are not listed."""
    assert list(expensive(tree)["path"]) == ["2-0", "0-0"]
    assert list(expensive(tree)["payment_so_far"]) == pytest.approx([0.7, 0.1])
    assert list(expensive(tree, share=0.3)["path"]) == ["0-0"]


def test_paths_to_a_lock_in(tree):
    """Only paths after which some run was locked in, with their number."""
    table = locking(tree)
    assert list(table["path"]) == ["1-1"]
    assert list(table["locked_runs"]) == [2]


def test_lock_ins_by_number_or_by_share():
    """A path with many lock-ins and one that always leads there change places."""
    runs = [make_run([1, 1, 1])] * 2 + [make_run([1, 0, 0])] * 3 + [make_run([2, 2, 2])]
    tree = recorded(TreeRecorder(1), runs)
    assert list(locking(tree)["path"]) == ["1", "2"]
    assert list(locking(tree, by="share")["path"]) == ["2", "1"]
    with pytest.raises(ValueError, match="'runs' or 'share', got 'luck'"):
        locking(tree, by="luck")


def test_a_level_that_holds_few_runs_is_not_ranked():
    """Without a depth, the deepest level is taken at which half of the runs are still shown."""
    runs = [make_run([0, 0, 0])] * 4 + [make_run([0, 1, each]) for each in (0, 1, 2)]
    tree = recorded(TreeRecorder(3, share=0.2), runs)
    assert ranked_depth(tree) == 3
    rarer = recorded(TreeRecorder(3, share=0.2), [*runs, make_run([0, 2, 2]), make_run([1])])
    assert ranked_depth(rarer) == 2
    nothing = recorded(TreeRecorder(3, share=1.0), [make_run([0]), make_run([1])])
    assert ranked_depth(nothing) == 0
    assert list(travelled(nothing)["path"]) == ["start"]


def test_a_depth_beyond_the_tree(tree):
    """A depth that the tree does not have is refused."""
    with pytest.raises(ValueError, match=r"0\.\.2, the depth of the tree, got 3"):
        travelled(tree, depth=3)


@given(many_runs, st.integers(1, 4))
def test_tables_rank_what_the_tree_holds(runs, depth):
    """Each table is sorted, is part of the level, and nothing outside of it would rank higher."""
    tree = recorded(TreeRecorder(4), runs)
    level = path_table(tree).query("depth == @depth")
    for table, column in [
        (travelled(tree, depth, most=3), "visits"),
        (expensive(tree, depth, most=3, share=0.0), "payment_so_far"),
        (locking(tree, depth, most=3), "locked_runs"),
    ]:
        assert table[column].is_monotonic_decreasing
        assert set(table["path"]) <= set(level["path"])
        others = level[~level["path"].isin(table["path"])][column]
        assert len(table) < 3 or others.max() <= table[column].min() or others.empty


@given(many_runs)
def test_switches_are_ranked_by_money(runs):
    """Every edge is a row, and what was paid most for comes first."""
    switches = recorded(SwitchRecorder(MEANS), runs)
    table = switch_table(switches)
    assert set(zip(table["before"], table["then"], strict=True)) == set(switches.edges)
    assert table["payments"].is_monotonic_decreasing
