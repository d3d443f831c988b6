"""What `kcmab run` shows and writes of a scenario that runs until it is precise."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pandas as pd
import pytest

from kcmab_abm import load_scenario, simulate
from kcmab_abm.cli import tables
from kcmab_abm.cli.main import BAD_INPUT, run
from kcmab_abm.running.options import RunOptions
from kcmab_abm.running.with_options import simulate_with

SCENARIO = """
title = "A small market"
horizon = 12
replications = 100
seed = 5
precision = { measure = "regret", half_width = HALF }

[market]
arms = { law = "bernoulli", means = [0.7, 0.4] }

[[policy]]
name = "ucb"

[[policy]]
name = "greedy"
"""


@pytest.fixture
def mine(tmp_path):
    """A scenario file that is precise in no time, and can be made to ask for more."""
    path = tmp_path / "mine.toml"
    ask(path, 0.35)
    return path


def ask(path, half, more=""):
    """Write the file with another precision."""
    path.write_text(SCENARIO.replace("HALF", f"{half}{more}"))


def attempt(*arguments):
    """Run a command on the market engine."""
    return run(["run", *map(str, arguments), "--engine", "market"])


def lines_of(text):
    """What is said of the precision."""
    return [line for line in text.splitlines() if "stopping time" in line]


def test_a_line_a_policy(mine, capsys):
    """The mean, its interval, what was asked, how many runs it took."""
    assert attempt(mine) == 0
    results = simulate(load_scenario(mine))
    out = capsys.readouterr().out
    for line, row in zip(lines_of(out), results.precision().to_dict("records"), strict=True):
        assert line == (
            f"regret of {row['policy']}: {row['mean']:.2f} ± {row['half_width']:.2f} (95 %, valid "
            f"at any stopping time), asked 0.35, after {results.replications:,} runs"
        )
    assert f"12 customers, {results.replications:,} runs" in out
    assert "as if the number of runs had been fixed" in out


def test_without_a_precision_nothing_is_said_of_it(mine, capsys):
    """No line, and no doubt about the table's intervals."""
    mine.write_text(re.sub("precision.*", "", SCENARIO))
    assert attempt(mine) == 0
    out = capsys.readouterr().out
    assert not lines_of(out)
    assert "mean with its 95 % interval;" in out


@pytest.mark.usefixtures("_small_figure")
def test_not_reaching_it_is_said_and_no_error(mine, capsys, tmp_path):
    """The ceiling ends the run; the command succeeds."""
    ask(mine, 0.01, ", ceiling = 150")
    assert attempt(mine, "--out", tmp_path / "out") == 0
    lines = lines_of(capsys.readouterr().out)
    assert len(lines) == 2
    assert all(line.startswith("not reached: regret of ") for line in lines)
    assert all(line.endswith(", asked 0.010, after the ceiling of 150 runs") for line in lines)
    assert not pd.read_csv(tmp_path / "out" / "precision.csv")["reached"].any()


@pytest.mark.usefixtures("_small_figure")
def test_the_folder_has_the_table_and_the_number_of_runs(mine, tmp_path):
    """`precision.csv` and the manifest agree with Python."""
    assert attempt(mine, "--out", tmp_path / "out") == 0
    results = simulate(load_scenario(mine))
    table = pd.read_csv(tmp_path / "out" / "precision.csv")
    assert table["half_width"].tolist() == results.precision()["half_width"].tolist()
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["replications"] == results.replications > 100
    assert manifest["scenario"]["replications"] == 100
    assert manifest["digest"] == results.digest()


@pytest.mark.usefixtures("_small_figure")
def test_no_table_where_no_precision_was_asked(mine, tmp_path):
    """The folder is as ever, and says how many replications it has."""
    mine.write_text(re.sub("precision.*", "", SCENARIO))
    assert attempt(mine, "--out", tmp_path / "out") == 0
    assert not (tmp_path / "out" / "precision.csv").exists()
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["replications"] == 100


def told(folder):
    """What a manifest says of the results; their chunks may be cut in other places."""
    manifest = json.loads((folder / "manifest.json").read_text())
    return {word: value for word, value in manifest.items() if word not in ("files", "checksum")}


def stretches(folder):
    """The replications in each finished chunk of the first policy, in order."""
    names = sorted(path.name for path in (folder / "chunks").glob("*-001-*.npz"))
    return [tuple(map(int, name.split("-")[2:4])) for name in names]


@pytest.mark.usefixtures("_small_figure")
def test_more_precision_later_goes_on_with_what_is_there(mine, tmp_path):
    """A tighter run on top of a loose one equals a fresh one; nothing old is run again."""
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    assert attempt(mine, "--out", out) == 0
    before = {path.name: path.stat().st_ino for path in (out / "chunks").glob("*.npz")}
    ask(mine, 0.3)
    assert attempt(mine, "--out", out, "--resume") == 0
    assert attempt(mine, "--out", fresh) == 0
    for name in ("precision.csv", "summary.csv", "paired.csv"):
        assert (out / name).read_bytes() == (fresh / name).read_bytes(), name
    assert told(out) == told(fresh)
    after = {path.name: path.stat().st_ino for path in (out / "chunks").glob("*.npz")}
    assert before.items() < after.items()
    here = stretches(out)
    assert all(last + 1 == first for (_, last), (first, _) in pairwise(here))
    assert here[-1][1] + 1 == json.loads((out / "manifest.json").read_text())["replications"]


@pytest.mark.usefixtures("_small_figure")
def test_less_precision_later_uses_a_part_of_what_is_there(mine, tmp_path):
    """A looser run on top of a tight one equals a fresh one, too."""
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    ask(mine, 0.3)
    assert attempt(mine, "--out", out) == 0
    ask(mine, 0.35)
    assert attempt(mine, "--out", out, "--resume") == 0
    assert attempt(mine, "--out", fresh) == 0
    assert told(out) == told(fresh)


def test_replications_are_those_to_begin_with(mine, capsys):
    """The option sets the start; one that is too low is refused."""
    assert attempt(mine, "--replications", "400") == 0
    assert all(line.endswith("after 400 runs") for line in lines_of(capsys.readouterr().out))
    assert attempt(mine, "--replications", "50") == BAD_INPUT
    assert capsys.readouterr().err == (
        f"{mine}: replications: must be >= 100 to begin with where there is a precision, got 50\n"
    )


def test_a_sweep_says_where_it_was_reached(mine, capsys):
    """How many points, and a line for each interval that stayed too wide."""
    ask(mine, 0.3, ", ceiling = 110")
    mine.write_text(mine.read_text() + "[sweep]\ngrid = { horizon = [2, 12] }\n")
    assert attempt(mine) == 0
    out = capsys.readouterr().out
    assert "precision reached at 1 of 2 points" in out
    assert [line[:36] for line in lines_of(out)] == ["point 2: not reached: regret of gree"]


def test_the_bar_shows_the_width_falling(mine, monkeypatch):
    """Its words name the policy that has farthest to go, its width, and what is wanted."""
    said = []

    class Bar:
        """What is shown instead of a bar."""

        def __enter__(self):
            return lambda *_, doing=None: said.append(doing)

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(tables, "progress_bar", lambda _: Bar())
    tables.watched(simulate_with, load_scenario(mine), RunOptions("market"))
    words = [each for each in said if each and "wanted" in each]
    found = [re.fullmatch(r"greedy: regret ± (\S+), wanted 0\.35", each) for each in words]
    widths = [float(each[1]) for each in found]
    assert len(widths) > 1
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] <= 0.35 < widths[-2]


def test_paths_replay_the_runs_that_are_there(mine, tmp_path, monkeypatch):
    """Of a folder all runs, of a file as many as asked for, however precise they are."""
    from kcmab_abm.running.source import open_scenario

    monkeypatch.setattr("kcmab_abm.running.with_options.write_results", lambda *_: None)
    assert attempt(mine, "--out", tmp_path / "out") == 0
    whole = open_scenario(tmp_path / "out")
    assert whole.precision is None
    assert whole.replications == simulate(load_scenario(mine)).replications
    assert open_scenario(tmp_path / "out", replications=7).replications == 7
    assert open_scenario(mine, replications=7).replications == 7
