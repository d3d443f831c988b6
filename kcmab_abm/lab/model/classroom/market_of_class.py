"""The market that a class plays if the teacher brings none."""

from __future__ import annotations

from typing import Any

from kcmab_abm.scenario.scenario import Scenario, make_scenario

# With this seed greedy guests settle on the second best restaurant at guest 10.
THREE_RESTAURANTS: dict[str, Any] = {
    "title": "Three restaurants",
    "horizon": 60,
    "replications": 1000,
    "seed": 80,
    "market": {"arms": {"law": "bernoulli", "means": [0.8, 0.6, 0.4]}},
    "policy": [{"name": "greedy"}, {"name": "ucb"}, {"name": "modified-ts"}],
}


def default_scenario(horizon: int | None, seed: int | None) -> Scenario:
    """Three restaurants, with another number of guests or other luck if these are given."""
    given = {"horizon": horizon, "seed": seed}
    changes = {word: value for word, value in given.items() if value is not None}
    return make_scenario({**THREE_RESTAURANTS, **changes})
