"""Two folders side by side: what differs, what is paired, and what is refused."""

from __future__ import annotations

import json
import math
import shutil

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kcmab_abm import make_scenario
from kcmab_abm.cli.main import BAD_INPUT, run
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.results.comparison import compare, setting_changes
from kcmab_abm.results.differences import difference_rows, welch_difference
from kcmab_abm.running.experiment import run as run_into
from kcmab_abm.running.manifest import write_manifest
from kcmab_abm.running.read_results import read_record

from .conftest import BASE, small_figures

ARMS = {"law": "beta", "means": [0.6, 0.2], "concentration": 2.0}
CASES = {
    "base": {},
    "other arms": {"market": {**BASE["market"], "arms": ARMS}},
    "more runs": {"replications": 5, "horizon": 40},
    "other seed": {"seed": 5, "replications": 4},
    "more policies": {"policy": [*BASE["policy"], {"name": "greedy"}]},
    "greedy": {"policy": [{"name": "greedy"}]},
    "old": {"policy": [{"name": "ucb", "label": "old"}]},
    "new": {"policy": [{"name": "ucb", "label": "new"}], "horizon": 50},
    "single": {"replications": 1},
    "sweep": {"sweep": {"grid": {"market.customers.tau": [0.0, 0.1]}}},
    "longer": {"sweep": {"grid": {"market.customers.tau": [0.1, 0.2]}}, "horizon": 40},
    "other sweep": {"sweep": {"grid": {"horizon": [10, 20]}}},
    "seeds": {"sweep": {"list": [{"seed": 1}, {"seed": 2}]}, "seed": 9},
    "more seeds": {"sweep": {"list": [{"seed": 2}, {"seed": 3}]}, "horizon": 20},
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A place with a folder of results for every case."""
    place = tmp_path_factory.mktemp("place")
    with pytest.MonkeyPatch.context() as patch:
        small_figures(patch)
        for name, changes in CASES.items():
            run_into(make_scenario({**BASE, **changes}), place / name, engine="market")
    return place


def compared(place, first, second):
    """The comparison of two cases."""
    return compare(read_record(place / first), read_record(place / second))


def refusal(arguments, capsys):
    """The one line in which the command refuses its input."""
    assert run(["compare", *map(str, arguments)]) == BAD_INPUT
    out, error = capsys.readouterr()
    assert out == ""
    [line] = error.splitlines()
    return line


@pytest.mark.parametrize("name", ["base", "sweep", "seeds", "single"])
def test_folder_equals_itself(name, place):
    """A folder compared with itself: nothing differs, in no setting and by no amount."""
    found = compared(place, name, name)
    assert found.changes == []
    assert (found.table["difference"] == 0.0).all()
    assert (found.table["se"].fillna(0.0) == 0.0).all()
    assert set(found.table["interval"]) == {"paired"}


@pytest.mark.parametrize(
    ("first", "second"),
    [("base", "more runs"), ("base", "other seed"), ("sweep", "longer"), ("seeds", "more seeds")],
)
def test_reversed_comparison_is_negated(first, second, place):
    """Turned round, every difference changes its sign, and every interval its ends."""
    there, back = compared(place, first, second), compared(place, second, first)
    assert there.table["difference"].tolist() == (-back.table["difference"]).tolist()
    assert there.table["low"].tolist() == (-back.table["high"]).tolist()
    assert there.table["first"].tolist() == back.table["second"].tolist()
    turned = [(path, new, old) for path, old, new in back.changes]
    assert sorted(there.changes) == sorted(turned)


def test_common_runs_are_paired(place):
    """With the same seed, only replications that are in both count, each with its twin."""
    found = compared(place, "base", "more runs")
    row = found.table.set_index(["policy", "measure"]).loc[("ucb", "regret")]
    first, second = (
        pd.read_parquet(place / name / "finals.parquet").query("policy == 'ucb'")["regret"][:3]
        for name in ("base", "more runs")
    )
    assert row["difference"] == (second - first).mean()
    assert (row["first_runs"], row["second_runs"]) == (3, 3)
    assert found.notes == [
        "paired intervals: both have seed 4, so runs with the same number share their tapes "
        "(3 common runs)"
    ]


def test_other_seeds_are_independent_samples(place):
    """With other seeds all runs count, the interval is Welch's, and the output says why."""
    found = compared(place, "base", "other seed")
    row = found.table.iloc[0]
    assert (row["first_runs"], row["second_runs"]) == (3, 4)
    assert math.isnan(row["variance_saved"])
    assert "Welch" in found.notes[0]
    assert "the seeds differ, 4 and 5" in found.notes[0]


def test_changed_settings_are_named(place):
    """Every setting that differs is told by its path, with both values."""
    assert compared(place, "base", "more runs").changes == [
        ("horizon", "30", "40"),
        ("replications", "3", "5"),
    ]
    changes = {path: new for path, _, new in compared(place, "base", "other arms").changes}
    assert changes["market.arms.law"] == '"beta"'
    assert changes["market.arms.means"] == "[0.6, 0.2]"
    changes = compared(place, "base", "more policies").changes
    assert changes == [("policy[2]", "not set", '{ name = "greedy" }')]


def test_policies_are_matched_by_label(place):
    """Policies in one folder alone are named, and the others compared."""
    found = compared(place, "base", "more policies")
    assert list(dict.fromkeys(found.table["policy"])) == ["ucb", "modified-epsilon-greedy"]
    assert f"only in {place / 'more policies'}: greedy" in found.notes
    back = compared(place, "more policies", "base")
    assert f"only in {place / 'more policies'}: greedy" in back.notes


def test_single_policies_are_compared_whatever_their_labels(place):
    """Where each folder has one policy, these two are compared."""
    found = compared(place, "old", "new")
    assert set(found.table["policy"]) == {"old -> new"}
    assert len(found.notes) == 1


def test_points_of_sweeps_are_matched(place):
    """Sweeps are compared where they meet, and the other points are named."""
    found = compared(place, "sweep", "longer")
    assert set(found.table["market.customers.tau"]) == {0.1}
    assert f"not in {place / 'longer'}: market.customers.tau = 0.0" in found.notes
    assert f"not in {place / 'sweep'}: market.customers.tau = 0.2" in found.notes


def test_swept_seeds_make_pairs(place):
    """Points with the same swept seed are paired, whatever the seeds of the files."""
    found = compared(place, "seeds", "more seeds")
    assert set(found.table["seed"]) == {2}
    assert set(found.table["interval"]) == {"paired"}


def test_command_shows_settings_first(place, capsys):
    """The terminal shows what differs in the settings, then how, then by how much."""
    assert run(["compare", str(place / "base"), str(place / "more runs")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["Settings that differ:", "  horizon: 30 -> 40"]
    assert lines[3].startswith("paired intervals")
    assert sum("regret" in line for line in lines) == 4


@pytest.mark.parametrize(("first", "second"), [("base", "other seed"), ("sweep", "longer")])
def test_command_writes_a_folder(first, second, place, tmp_path, capsys):
    """With --out there are tables, a figure and a manifest."""
    out = tmp_path / "out"
    assert run(["compare", str(place / first), str(place / second), "--out", str(out)]) == 0
    capsys.readouterr()
    names = ["compare.csv", "compare.json", "figure.png", "figure.svg", "manifest.json"]
    assert sorted(path.name for path in out.iterdir()) == names
    table = compared(place, first, second).table
    pd.testing.assert_frame_equal(pd.read_csv(out / "compare.csv"), table, check_exact=True)
    records = json.loads((out / "compare.json").read_text())
    assert [row["difference"] for row in records] == table["difference"].tolist()
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["digests"]["first"] == read_record(place / first).digest
    assert "exists; give another name" in refusal(
        [place / first, place / second, "--out", out], capsys
    )


def test_folders_that_do_not_match_are_refused(place, capsys):
    """A run and a sweep, sweeps over other settings, and no policy in common."""
    both = "give two plain runs, or two sweeps over the same settings"
    assert both in refusal([place / "base", place / "sweep"], capsys)
    assert both in refusal([place / "sweep", place / "other sweep"], capsys)
    line = refusal([place / "base", place / "greedy"], capsys)
    assert "nothing to compare" in line
    assert "greedy has greedy" in line


def damaged(place, tmp_path, name, content):
    """A folder in which one file holds something else; it is gone if that is None."""
    folder = tmp_path / "damaged"
    shutil.copytree(place / "base", folder)
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    return folder


MANIFESTS = {
    "missing": (None, "has no manifest.json"),
    "empty": (b"", "manifest.json: damaged"),
    "not JSON": (b"{", "manifest.json: damaged"),
    "not text": (bytes(range(256)), "manifest.json: damaged"),
    "a list": (b"[1]", "not a table"),
    "of another command": (b'{"scenario": {}, "versions": {}}', "must be a table with scenario"),
    "without a checksum": (b'{"scenario": {}, "seed": 1, "digest": ""}', "has no checksum"),
    "nested": (b"[" * 100_000, "manifest.json: damaged"),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_damaged_manifest_is_refused(name, place, tmp_path, capsys):
    """A manifest that cannot be read, or says something else, is one message."""
    content, words = MANIFESTS[name]
    folder = damaged(place, tmp_path, "manifest.json", content)
    assert words in refusal([place / "base", folder], capsys)
    assert words in refusal([folder, place / "base"], capsys)


def test_manifest_of_other_results_is_refused(place, tmp_path, capsys):
    """A manifest and a table that are each whole, but not of the same results."""
    content = (place / "base" / "finals.parquet").read_bytes()
    told = {"scenario": {"sweep": 1}, "seed": 1, "digest": ""}
    folder = damaged(place, tmp_path, "manifest.json", None)
    write_manifest(folder, told)
    assert "are from different results" in refusal([folder, place / "base"], capsys)
    (folder / "finals.parquet").write_bytes(content + b" ")
    assert "finals.parquet: changed since it was written" in refusal(
        [folder, place / "base"], capsys
    )


def parquet(table, tmp_path):
    """A table as the bytes of a Parquet file."""
    path = tmp_path / "table.parquet"
    table.to_parquet(path)
    return path.read_bytes()


def test_damaged_finals_are_refused(place, tmp_path, capsys):
    """A Parquet file that is missing, changed, or sealed as another table is one message."""
    good = (place / "base" / "finals.parquet").read_bytes()
    table = pd.read_parquet(place / "base" / "finals.parquet")
    contents = {
        "has no finals.parquet": [None],
        "finals.parquet: damaged": [
            b"",
            b"PAR1",
            good[:-20],
            good[: len(good) // 2],
            parquet(table.drop(columns="regret"), tmp_path),
            parquet(table.astype({"regret": str}), tmp_path),
            parquet(table[:0], tmp_path),
            parquet(pd.concat([table, table]), tmp_path),
        ],
    }
    for words, each in contents.items():
        for content in each:
            folder = damaged(place, tmp_path, "finals.parquet", content)
            if content is not None:
                line = refusal([folder, place / "base"], capsys)
                assert f"{folder / 'finals.parquet'}: changed since it was written" in line
                told = json.loads((folder / "manifest.json").read_text())
                write_manifest(folder, told)
            assert words in refusal([folder, place / "base"], capsys)
            shutil.rmtree(folder)


def test_what_is_no_folder_is_refused(place, tmp_path, capsys):
    """Folders that are not there, files, and folders without results."""
    file = tmp_path / "file"
    file.write_text("")
    wanted = "give a folder that 'kcmab run FILE --out DIR' wrote"
    none = tmp_path / "none"
    assert refusal([place / "base", none], capsys) == f"{none}: no such folder; {wanted}"
    assert refusal([file, place / "base"], capsys) == f"{file}: is not a folder; {wanted}"
    assert f"{tmp_path}: has no manifest.json" in refusal([tmp_path, place / "base"], capsys)


samples = st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=12).map(np.array)


@given(samples, samples)
def test_welch_interval_is_scipys(x, y):
    """The interval for independent samples is the one that scipy gives."""
    row = welch_difference(x, y, 0.95)
    if row["se"] > 1e-6:
        expected = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.95)
        assert row["low"] == pytest.approx(expected.low, abs=1e-6)
        assert row["high"] == pytest.approx(expected.high, abs=1e-6)
    assert row["difference"] == pytest.approx(x.mean() - y.mean())


@pytest.mark.parametrize("scale", [1.0, 2.0**-30, 2.0**30])
def test_welch_interval_by_hand(scale):
    """Means with variances 1/3 and 4/3: 30/7 degrees of freedom, whatever the unit."""
    x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 1.0, 5.0])
    row = welch_difference(x * scale, y * scale, 0.9)
    se = math.sqrt(5 / 3)
    half = se * stats.t.ppf(0.95, 30 / 7)
    found = [row[name] / scale for name in ("difference", "se", "low", "high")]
    assert found == pytest.approx([-1.0, se, -1.0 - half, -1.0 + half])


def test_welch_interval_of_constants_is_a_point():
    """Samples without spread have an interval without width; single runs have none."""
    row = welch_difference(np.ones(3), np.zeros(4), 0.95)
    assert (row["low"], row["high"]) == (1.0, 1.0)
    assert math.isnan(welch_difference(np.ones(1), np.zeros(4), 0.95)["low"])


@given(st.permutations(range(6)))
def test_pairs_are_found_in_any_order(order):
    """Runs are paired by their number, wherever they stand in the table."""
    rng = np.random.default_rng(1)
    numbers = rng.random((6, len(CURVES)))
    first = pd.DataFrame(numbers, columns=list(CURVES)).assign(replication=range(6))
    second = (first + 1.0).assign(replication=range(6)).iloc[list(order)]
    rows = difference_rows(first, second, same_seed=True)
    assert [row["difference"] for row in rows] == pytest.approx([1.0] * len(CURVES))
    assert [row["se"] for row in rows] == pytest.approx([0.0] * len(CURVES), abs=1e-12)


def table(numbers, values):
    """Finals of runs with these numbers; every measure has the same values."""
    return pd.DataFrame(dict.fromkeys(CURVES, values)).assign(replication=numbers)


def test_only_runs_of_both_are_paired():
    """Runs 2 and 3 are in both tables: they give the means, the difference and the counts."""
    first, second = table([1, 2, 3], [9.0, 1.0, 2.0]), table([2, 3, 4, 5], [4.0, 7.0, 9.0, 9.0])
    for row in difference_rows(first, second, same_seed=True):
        assert (row["first"], row["second"], row["difference"]) == (1.5, 5.5, 4.0)
        assert (row["first_runs"], row["second_runs"], row["interval"]) == (2, 2, "paired")
        assert row["se"] == pytest.approx(1.0)  # of the differences 3 and 5


@pytest.mark.parametrize(("numbers", "same_seed"), [([1, 2, 3], False), ([4, 5, 6], True)])
def test_runs_without_a_common_tape_are_independent(numbers, same_seed):
    """Other seeds share no tape, and neither do runs of other numbers: all of them count."""
    first, second = table([1, 2], [1.0, 3.0]), table(numbers, [4.0, 6.0, 8.0])
    for row in difference_rows(first, second, same_seed):
        assert (row["first"], row["second"], row["difference"]) == (2.0, 6.0, 4.0)
        assert (row["first_runs"], row["second_runs"], row["interval"]) == (2, 3, "Welch")
        assert row["se"] == pytest.approx(math.sqrt(2.0 / 2 + 4.0 / 3))


leaves = st.integers(0, 3) | st.sampled_from(["a", "b"])
trees = st.recursive(
    leaves,
    lambda inner: (
        st.dictionaries(st.sampled_from("xyz"), inner, max_size=3) | st.lists(inner, max_size=3)
    ),
    max_leaves=8,
)


@given(trees, trees)
def test_changes_are_found_if_there_are_any(old, new):
    """Settings are the same if and only if no change is told; turned round, so is every change."""
    changes = list(setting_changes(old, new))
    assert bool(changes) == (old != new)
    back = list(setting_changes(new, old))
    assert sorted(changes) == sorted((path, one, other) for path, other, one in back)
