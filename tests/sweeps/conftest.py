"""What the tests of sweeps and comparisons share."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

BASE = {
    "title": "A small market",
    "horizon": 30,
    "replications": 3,
    "seed": 4,
    "market": {
        "arms": {"law": "bernoulli", "means": [0.8, 0.5, 0.3]},
        "customers": {"behaviour": "logit", "tau": 0.1},
    },
    "policy": [{"name": "ucb"}, {"name": "modified-epsilon-greedy"}],
}
FILE = """
title = "A small market"
horizon = 30
replications = 3
seed = 4

[market]
arms = { law = "bernoulli", means = [0.8, 0.5, 0.3] }
customers = { behaviour = "logit", tau = 0.1 }

[[policy]]
name = "ucb"

[[policy]]
name = "modified-epsilon-greedy"
"""


def with_sweep(**sweep):
    """The small market with a sweep."""
    return {**BASE, "sweep": sweep}


@pytest.fixture
def mine(tmp_path):
    """A scenario file with a sweep that runs in no time."""
    path = tmp_path / "mine.toml"
    path.write_text(FILE + '[sweep]\ngrid = { "market.customers.tau" = [0.0, 0.1] }\n')
    return path


def small_figures(monkeypatch):
    """Draw figures in no time, for tests that look at numbers only."""
    for name in (
        "outcome.draw_outcome",
        "scatter.draw_scatter",
        "sensitivity.draw_sensitivity",
        "settings.draw_settings",
        "frontier.draw_frontier",
    ):
        monkeypatch.setattr(f"kcmab_abm.figures.{name}", lambda *_: Figure((1, 1)))


@pytest.fixture
def _small_figures(monkeypatch):
    """Figures that are drawn in no time."""
    small_figures(monkeypatch)
