"""The library of scenarios: every file says what it asks, every sweep and every script runs."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kcmab_abm import load_scenario, sweep

FOLDER = Path(__file__).parents[2] / "scenarios"
FILES = sorted(FOLDER.glob("*.toml"))
SWEPT = [path for path in FILES if "[sweep" in path.read_text(encoding="utf-8")]
SCRIPTS = {
    "own_policy": "grumbling customers, the least offer and 30 %",
    "same_world": "markets without offers lock in",
    "cheapest_margin": "least regret and compensation together",
    "lock_in_paths": "beginnings that most often end on a wrong arm",
}


def test_the_library_is_large():
    """There are at least twelve scenarios, and a script for each line of the table above."""
    assert len(FILES) >= 12
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == sorted(SCRIPTS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_header_asks_a_question_and_says_what_one_sees(path):
    """A file begins with a comment: a question or a title, an empty line, what one sees."""
    lines = path.read_text(encoding="utf-8").splitlines()
    header = list(itertools.takewhile(lambda line: line.startswith("#"), lines))
    assert lines[len(header)].startswith("title = ")
    assert re.search(r"[?.]$", header[0])
    assert header[1] == "#"
    assert re.search(r"\b[Oo]ne\s+(#\s+)?sees\b", "\n".join(header))


@pytest.mark.parametrize("path", SWEPT, ids=lambda path: path.stem)
def test_a_sweep_of_the_library_runs(path):
    """Every sweep runs at all its points, here at a reduced size."""
    scenario = load_scenario(path).replace(horizon=30, replications=2)
    table = sweep(scenario, engine="market").summary()
    assert np.isfinite(table["regret"]).all()
    assert len(table) % len(scenario.policies) == 0
    assert len(table) > len(scenario.policies)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_runs(name):
    """Every script runs from the shell, here at a reduced size, and prints what it promises."""
    size = ["--replications", "12", "--horizon", "60", "--engine", "market"]
    command = [sys.executable, str(FOLDER / f"{name}.py"), *size]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert SCRIPTS[name] in done.stdout
