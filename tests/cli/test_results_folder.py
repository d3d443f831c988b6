"""The folder that `kcmab run --out` writes: what is in it, and that it is written whole or not."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from kcmab_abm import load_scenario, make_scenario, simulate
from kcmab_abm.cli.main import BAD_INPUT, FAILED, INTERRUPTED, run

from .conftest import SCENARIO

FILES = [
    "arms.csv",
    "chunks",
    "curves.parquet",
    "figure.png",
    "figure.svg",
    "finals.parquet",
    "manifest.json",
    "paired.csv",
    "summary.csv",
    "summary.json",
]
PROMISED = [
    "policy",
    "regret",
    "regret_se",
    "compensation",
    "compensation_se",
    "realised_regret",
    "seeding",
    "acceptance",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a scenario file and its results."""
    place = tmp_path_factory.mktemp("place")
    (place / "mine.toml").write_text(SCENARIO)
    code = run(["run", str(place / "mine.toml"), "--out", str(place / "out"), "--jobs", "1"])
    assert code == 0
    return place


@pytest.fixture(scope="module")
def out(place):
    """The results."""
    return place / "out"


@pytest.fixture(scope="module")
def results(place):
    """The same results, from Python."""
    return simulate(load_scenario(place / "mine.toml"))


def read_manifest(folder):
    """What a folder says of itself."""
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def contents(folder):
    """All files of a folder and of those in it, by name."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def names(folder):
    """What is in a folder."""
    return sorted(path.name for path in folder.iterdir())


def attempt(file, out, *options):
    """Try to run a scenario on the market engine."""
    return run(["run", str(file), "--out", str(out), "--engine", "market", *options])


def test_promised_files_are_written(place, out):
    """The folder holds the promised files, all of them with content, and nothing lies beside it."""
    assert names(out) == FILES
    assert all(contents(out).values())
    assert names(place) == ["mine.toml", "out"]


def test_summary_has_the_promised_columns(out, results):
    """Both summaries have the same columns in the same order, the promised ones among them."""
    table = pd.read_csv(out / "summary.csv")
    records = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert not set(PROMISED) - set(table.columns)
    assert [list(record) for record in records] == [list(table.columns)] * 2
    assert list(table.columns) == list(results.summary().columns)
    assert list(table["policy"]) == ["ucb", "nobody pays"]


def test_summaries_hold_every_digit(out, results):
    """Neither way of writing rounds a number."""
    exact = results.summary()
    records = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    pd.testing.assert_frame_equal(pd.read_csv(out / "summary.csv"), exact, check_exact=True)
    assert records == exact.to_dict("records")


def test_tables_are_those_of_the_results(out, results):
    """The other tables are what Python gives for the same scenario."""
    read = {
        "paired.csv": (pd.read_csv, results.paired()),
        "arms.csv": (pd.read_csv, results.arms()),
        "curves.parquet": (pd.read_parquet, results.curves()),
        "finals.parquet": (pd.read_parquet, results.finals()),
    }
    for name, (reader, expected) in read.items():
        pd.testing.assert_frame_equal(reader(out / name), expected, check_exact=True)


def test_pictures_are_pictures(out):
    """The figure is there as PNG and as SVG."""
    assert (out / "figure.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert "<svg" in (out / "figure.svg").read_text(encoding="utf-8")


def test_manifest_says_how_it_was_made(place, out, results):
    """The manifest names digest, scenario, seed, engine and versions."""
    manifest = read_manifest(out)
    assert manifest["digest"] == results.digest()
    assert manifest["scenario"] == load_scenario(place / "mine.toml").settings
    assert (manifest["seed"], manifest["engine"]) == (4, "batch")
    assert {"python", "kcmab-abm", "numpy", "numba", "simpy"} <= set(manifest["versions"])


@pytest.mark.parametrize("engine", ["market", "batch"])
def test_manifest_reruns_to_the_same_digest(out, engine):
    """The scenario in the manifest gives the digest in the manifest, on either engine."""
    manifest = read_manifest(out)
    again = simulate(make_scenario(manifest["scenario"]), engine=engine)
    assert again.digest() == manifest["digest"]


def test_other_results_have_another_digest(place, results):
    """A digest tells results apart."""
    other = load_scenario(place / "mine.toml").replace(seed=5)
    assert simulate(other).digest() != results.digest()


def test_two_runs_write_the_same_bytes(place, out, tmp_path):
    """Another process with another number of threads writes every file byte by byte alike."""
    again = tmp_path / "again"
    command = [sys.executable, "-m", "kcmab_abm", "run", str(place / "mine.toml")]
    environment = {**os.environ, "PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo"}
    subprocess.run(
        [*command, "--out", str(again), "--jobs", "3"],
        env=environment,
        check=True,
        capture_output=True,
    )
    assert contents(again) == contents(out)


@pytest.mark.usefixtures("_small_figure")
def test_single_replication_is_written(mine, tmp_path):
    """One replication has no standard error: empty in CSV, null in JSON."""
    assert attempt(mine, tmp_path / "out", "--replications", "1") == 0
    table = pd.read_csv(tmp_path / "out" / "summary.csv")
    assert math.isnan(table["regret_se"][0])
    [first, _] = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert first["regret_se"] is None


@pytest.mark.parametrize(
    "text", ["costs $5, [/] and [bold]", "50 % of $x^2$", "{x} & <y> \\n", r"$\foo$", "市场"]
)
def test_title_and_label_are_taken_as_they_are(text, mine, tmp_path, capsys):
    """Nothing in a title or label is read as markup."""
    line = f"label = '{text}'"
    mine.write_text(
        f"title = '{text}'\n{SCENARIO.replace('title', '# ')}".replace(
            'label = "nobody pays"', line
        )
    )
    assert attempt(mine, tmp_path / "out") == 0
    assert f"{text}: 3 arms" in capsys.readouterr().out
    assert list(pd.read_csv(tmp_path / "out" / "summary.csv")["policy"]) == ["ucb", text]


def test_existing_folder_is_kept(mine, tmp_path, capsys):
    """Results that are there are not replaced unless one says so."""
    old = tmp_path / "out"
    old.mkdir()
    (old / "manifest.json").write_text("{}")
    assert attempt(mine, old) == BAD_INPUT
    assert (
        capsys.readouterr().err == f"{old}: exists; give another name, or --force to replace it\n"
    )
    assert contents(old) == {"manifest.json": b"{}"}


@pytest.mark.usefixtures("_small_figure")
def test_force_replaces_results(mine, tmp_path):
    """With --force the old results go, all of them."""
    old = tmp_path / "out"
    old.mkdir()
    (old / "manifest.json").write_text("{}")
    (old / "notes.txt").write_text("old")
    assert attempt(mine, old, "--force") == 0
    assert names(old) == FILES
    assert names(tmp_path) == ["mine.toml", "out"]


@pytest.mark.usefixtures("_small_figure")
def test_force_takes_new_and_empty_folders(mine, tmp_path):
    """With --force a folder that is empty, or not there at all, is fine too."""
    (tmp_path / "empty").mkdir()
    assert attempt(mine, tmp_path / "empty", "--force") == 0
    assert attempt(mine, tmp_path / "new" / "and" / "deep", "--force") == 0
    assert names(tmp_path / "new" / "and" / "deep") == FILES


def test_foreign_folder_is_never_replaced(mine, tmp_path, capsys):
    """A folder that does not hold results stays, --force or not."""
    foreign = tmp_path / "thesis"
    foreign.mkdir()
    (foreign / "chapter1.tex").write_text("years of work")
    assert attempt(mine, foreign) == BAD_INPUT
    assert attempt(mine, foreign, "--force") == BAD_INPUT
    assert (
        "does not hold results (no manifest.json), so --force will not" in capsys.readouterr().err
    )
    assert contents(foreign) == {"chapter1.tex": b"years of work"}


def test_file_is_never_replaced(mine, tmp_path, capsys):
    """Neither a file nor anything below it can become the folder."""
    assert attempt(mine, mine, "--force") == BAD_INPUT
    assert "exists and is not a folder" in capsys.readouterr().err
    assert attempt(mine, mine / "out", "--force") == BAD_INPUT
    assert "cannot be written: Not a directory" in capsys.readouterr().err
    assert mine.read_text() == SCENARIO


def test_link_is_never_replaced(mine, tmp_path, capsys):
    """A link is left alone, and so is what it points to."""
    target = tmp_path / "target"
    target.mkdir()
    (target / "manifest.json").write_text("{}")
    (tmp_path / "link").symlink_to(target)
    (tmp_path / "nowhere").symlink_to(tmp_path / "none")
    for name in ["link", "nowhere"]:
        assert attempt(mine, tmp_path / name, "--force") == BAD_INPUT
        assert "is not a folder; give another name" in capsys.readouterr().err
    assert attempt(mine, tmp_path / "nowhere" / "out") == BAD_INPUT
    assert "cannot be written" in capsys.readouterr().err
    assert contents(target) == {"manifest.json": b"{}"}


@pytest.mark.parametrize("name", [".", "/", "a" * 300])
def test_impossible_folder_is_refused_before_the_work(name, mine, capsys, monkeypatch):
    """A folder that cannot be made is refused before anything is simulated."""
    monkeypatch.setattr("kcmab_abm.running.with_options.simulate_with", pytest.fail)
    assert attempt(mine, name) == BAD_INPUT
    error = capsys.readouterr().err
    assert error.startswith(f"{name}: ")
    assert error.count("\n") == 1


def test_forbidden_parent_is_refused_before_the_work(mine, tmp_path, capsys, monkeypatch):
    """A parent that must not be written to is refused before anything is simulated."""

    def forbid(self, *_, **__):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("kcmab_abm.running.with_options.simulate_with", pytest.fail)
    monkeypatch.setattr(Path, "mkdir", forbid)
    assert attempt(mine, tmp_path / "out") == BAD_INPUT
    assert "out: cannot be written: Permission denied" in capsys.readouterr().err


FAULTS = {
    "disk full": (OSError(28, "No space left on device"), BAD_INPUT, "No space left on device"),
    "Ctrl-C": (KeyboardInterrupt(), INTERRUPTED, "interrupted"),
}
STEPS = ["pandas.DataFrame.to_parquet", "kcmab_abm.figures.outcome.draw_outcome"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", FAULTS)
def test_failure_while_writing_keeps_what_is_finished(
    step, fault, mine, tmp_path, capsys, monkeypatch
):
    """Whatever fails half way: there are no results, and --resume writes them without a run."""
    error, code, words = FAULTS[fault]
    out = tmp_path / "deep" / "out"

    def fail(*_, **__):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(step, fail)
        assert attempt(mine, out) == code
    told = capsys.readouterr().err
    assert words in told
    assert f"{out}.partial: finished work is kept; resume it with --resume" in told
    assert names(out.parent) == ["out.partial"]
    monkeypatch.setattr("kcmab_abm.running.workers.run_chunk", pytest.fail)
    assert attempt(mine, out, "--resume") == 0
    assert names(out.parent) == ["out"]
    assert names(out) == FILES


@pytest.mark.parametrize("fault", FAULTS)
def test_failure_before_anything_is_finished_leaves_nothing(fault, mine, tmp_path, monkeypatch):
    """A run that fails at once leaves no folder, not even those on the way to it."""
    error, code, _ = FAULTS[fault]

    def fail(*_, **__):
        raise error

    monkeypatch.setattr("kcmab_abm.running.workers.run_chunk", fail)
    assert attempt(mine, tmp_path / "deep" / "out") == code
    assert list(tmp_path.iterdir()) == [mine]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", FAULTS)
def test_failure_while_writing_keeps_old_results(step, fault, mine, tmp_path, monkeypatch):
    """Whatever fails half way under --force: the old results are still there."""
    error, code, _ = FAULTS[fault]

    def fail(*_, **__):
        raise error

    old = tmp_path / "out"
    old.mkdir()
    (old / "manifest.json").write_text("{}")
    monkeypatch.setattr(step, fail)
    assert attempt(mine, old, "--force") == code
    assert contents(old) == {"manifest.json": b"{}"}
    assert names(tmp_path) == ["mine.toml", "out", "out.partial"]


@pytest.mark.usefixtures("_small_figure")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("call", [1, 2])
def test_failure_while_moving_keeps_old_results(call, fault, mine, tmp_path, monkeypatch):
    """The old results come back when the new ones cannot take their place."""
    error, code, _ = FAULTS[fault]
    rename, calls = Path.rename, []

    def fail(self, target):
        calls.append(target)
        if len(calls) == call:
            raise error
        return rename(self, target)

    old = tmp_path / "out"
    old.mkdir()
    (old / "manifest.json").write_text("{}")
    monkeypatch.setattr(Path, "rename", fail)
    assert attempt(mine, old, "--force") == code
    assert contents(old) == {"manifest.json": b"{}"}
    assert names(tmp_path) == ["mine.toml", "out", "out.partial"]


def test_too_little_memory_is_reported(mine, tmp_path, capsys, monkeypatch):
    """A run that does not fit into memory ends with one line and exit code 1."""

    def fail(*_, **__):
        raise MemoryError("Unable to allocate 745 GiB")

    monkeypatch.setattr("kcmab_abm.running.with_options.simulate_with", fail)
    assert attempt(mine, tmp_path / "out") == FAILED
    assert capsys.readouterr().err.startswith("not enough memory (Unable to allocate 745 GiB)")
    assert list(tmp_path.iterdir()) == [mine]
