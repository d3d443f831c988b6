"""The library of scenarios: every file states its question, every sweep and script runs."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kcmab_abm import load_results, load_scenario, sweep
from tests.extras import leave_out, missing

FOLDER = Path(__file__).parents[2] / "scenarios"
FILES = sorted(FOLDER.glob("*.toml"))
SWEPT = [path for path in FILES if "[sweep" in path.read_text(encoding="utf-8")]
SCRIPTS = {
    "own_policy": "grumbling customers, the least offer and 30 %",
    "same_world": "markets lock in without offers",
    "cheapest_margin": "smallest sum of regret and compensation",
    "lock_in_paths": "beginnings that most often end on a wrong arm",
    "trained_controller": "trained less modified-ts, both costs",
}
# tests/fitting/test_coverage.py runs the first, tests/scenarios/test_pages.py the others.
OF_PAGES = ["fit_coverage", "published_tables", "research_note"]
TO_FOLDERS = ["publish"]
MORE = {"trained_controller": ["--rounds", "1", "--engine", "auto"]}  # plays a thousand markets


def test_the_library_is_large():
    """There are at least twelve scenarios, and a script for each line of the table above."""
    assert len(FILES) >= 12
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == sorted(
        [*SCRIPTS, *OF_PAGES, *TO_FOLDERS]
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_header_asks_a_question_and_states_the_result(path):
    """A file begins with a comment: a question or title, an empty line, setting and result."""
    lines = path.read_text(encoding="utf-8").splitlines()
    header = list(itertools.takewhile(lambda line: line.startswith("#"), lines))
    assert lines[len(header)].startswith("title = ")
    assert re.search(r"[?.]$", header[0])
    assert header[1] == "#"
    assert re.search(r"\bResults?:", "\n".join(header[2:]))


@pytest.mark.parametrize("path", SWEPT, ids=lambda path: path.stem)
def test_a_sweep_of_the_library_runs(path):
    """Every sweep runs at all its points, here at a reduced size."""
    settings = load_scenario(path).settings["sweep"]
    if "sample" in settings:
        settings = settings | {"sample": settings["sample"] | {"points": 4}}
    sizes = {"horizon": 30, "replications": 2, "precision": None}
    scenario = load_scenario(path).replace(sweep=settings, **sizes)
    table = sweep(scenario, engine="market").summary()
    assert np.isfinite(table["regret"]).all()
    assert len(table) % len(scenario.policies) == 0
    assert len(table) > len(scenario.policies)


def printed_by(name, *options):
    """What a script prints, run from the shell."""
    if name == "trained_controller" and missing("gymnasium"):
        leave_out("needs gymnasium: install the extra 'gym'")
    command = [sys.executable, str(FOLDER / f"{name}.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_runs(name):
    """Every script runs from the shell, here at a reduced size, and prints what it promises."""
    size = ["--replications", "12", "--horizon", "60", "--engine", "market", *MORE.get(name, [])]
    assert SCRIPTS[name] in printed_by(name, *size)


@pytest.mark.slow
def test_a_study_gets_from_a_kill_to_a_paper(tmp_path):
    """It is killed with work left, resumed and loaded; figures and table are as they should be."""
    out = tmp_path / "paper"
    said = printed_by("publish", "--out", str(out), "--horizon", "10", "--engine", "market")
    assert "killed with work left" in said
    assert len(re.findall(r"^ +0\.\d+ +\d arms", said, re.MULTILINE)) == 15
    names = {path.name for path in out.iterdir() if path.is_file()}
    assert names == {"noise.pdf", "frontier.pdf", "slide.png", "point.svg", "table.tex"}
    box = re.search(rb"/MediaBox \[ 0 0 (\S+) ", (out / "noise.pdf").read_bytes())
    assert float(box[1]) == pytest.approx(3.4 * 72, abs=0.1)
    table = (out / "table.tex").read_text(encoding="utf-8")
    assert table.count(r"\pm") == 2 * 4 * 15
    results = load_results(out / "study")
    assert results.digest()[:16] in said
    assert len((FOLDER / "publish.py").read_text(encoding="utf-8").splitlines()) <= 60


@pytest.mark.slow
def test_the_trained_controller_meets_the_optimum():
    """On two arms with random means, where it is known."""
    size = ["--replications", "20", "--horizon", "10", "--rounds", "1", "--engine", "market"]
    assert "trained less optimal, both costs" in printed_by("trained_controller", "--random", *size)
