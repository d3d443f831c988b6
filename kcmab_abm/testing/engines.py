"""The engines compared on small random markets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.random import Generator

from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.running.experiment import play
from kcmab_abm.scenario.scenario import Scenario, make_scenario

MARKETS = 3  # on which the engines are compared
CUSTOMERS = 150


def check_engines(
    seed: int, draw: Callable[[Generator], dict[str, Any]], arms: int | None = None
) -> None:
    """Compare the engines on random markets; `draw` returns what they have in common."""
    for example in range(MARKETS):
        rng = np.random.default_rng([seed, example, 1])
        drawn = int(rng.integers(2, 7))
        means = [round(float(mean), 2) for mean in rng.random(arms or drawn)]
        given = draw(rng)
        market = {"arms": {"law": "bernoulli", "means": means}, **given.pop("market", {})}
        common = {"horizon": CUSTOMERS, "seed": int(rng.integers(2**32)), "market": market}
        _assert_engines_agree(make_scenario({**common, "policy": [{"name": "ucb"}], **given}))


def _assert_engines_agree(scenario: Scenario) -> None:
    market, batch = (play(scenario, engine=engine) for engine in ("market", "batch"))
    for part in fields(Trajectory):
        one, other = getattr(market, part.name), getattr(batch, part.name)
        assert one.tobytes() == other.tobytes(), (
            f"the engines differ in {part.name}, from customer "
            f"{int(np.argmax(one != other)) + 1} on, in {scenario.settings}"
        )
