"""What the tests of the command line share."""

from __future__ import annotations

import pytest

SCENARIO = """
title = "A small market"
horizon = 30
replications = 3
seed = 4

[market]
arms = { law = "beta", means = [0.7, 0.5, 0.3], concentration = 3.0 }
seeding_cost = 0.25

[[policy]]
name = "ucb"

[[policy]]
name = "greedy"
label = "nobody pays"
"""


@pytest.fixture
def mine(tmp_path):
    """A scenario file that runs in no time."""
    path = tmp_path / "mine.toml"
    path.write_text(SCENARIO)
    return path
