"""What the tests of the command line share."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from kcmab_abm.catalogue import BEHAVIOURS, LAWS, POLICIES

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


@pytest.fixture
def _small_figure(monkeypatch):
    """A figure that is drawn in no time, for tests that look at folders only."""
    monkeypatch.setattr("kcmab_abm.figures.outcome.draw_outcome", lambda _: Figure((1, 1)))


@pytest.fixture
def _own_catalogue():
    """The test finds the package's own catalogue, and what it registers is forgotten after it."""
    catalogues = (POLICIES, BEHAVIOURS, LAWS)
    before = [dict(catalogue._items) for catalogue in catalogues if catalogue.names()]
    for catalogue in catalogues:
        own = {name: catalogue.find(name) for name in catalogue.own_names()}
        _refill(catalogue, own)
    yield
    for catalogue, items in zip(catalogues, before, strict=True):
        _refill(catalogue, items)


def _refill(catalogue, items):
    catalogue._items.clear()
    catalogue._items.update(items)
