"""A run that is recorded, and folders compared byte by byte."""

from __future__ import annotations

import pytest

from kcmab_abm.cli.main import run

SCENARIO = """
horizon = 300
replications = 64
seed = 5
record = "paths"

[market]
arms = { law = "bernoulli", means = [0.7, 0.6, 0.4] }

[[policy]]
name = "ucb"

[[policy]]
name = "greedy"
label = "nobody pays"
"""


def contents(folder):
    """All files below a folder, by name."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(autouse=True)
def _quick(_small_figure, _small_chunks):
    """Nothing to draw, and many chunks."""


@pytest.fixture
def mine(tmp_path):
    """A scenario file."""
    path = tmp_path / "mine.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture
def command(mine, tmp_path):
    """Runs the scenario into a folder, `out` unless told."""

    def attempt(*options, out="out"):
        return run(["run", str(mine), "--out", str(tmp_path / out), *options])

    return attempt


@pytest.fixture
def whole(command, tmp_path):
    """What an uninterrupted run writes."""
    assert command(out="whole") == 0
    return contents(tmp_path / "whole")
