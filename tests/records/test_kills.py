"""SIGKILL at random instants: every resume ends with the files of an uninterrupted run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("kills", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_runs_end_as_if_nothing_had_happened(kills):
    """So many kills: every file of every run is what it should be, to the last byte."""
    command = [sys.executable, "-m", "tests.records.kills", str(kills)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    stages = json.loads(done.stdout.splitlines()[-1])
    assert sum(stages.values()) >= kills
    if kills >= 100:
        assert {"no chunk", "some chunks", "all chunks"} <= set(stages)
