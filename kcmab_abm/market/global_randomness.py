"""A check that functions draw from the generator they are given, and from no other."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from kcmab_abm.errors import PlayError
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

REPLAYS = 5  # all must see draws before these are attributed to the functions


def refuse_global_randomness(
    play: Callable[[], object], scenario: Scenario, policy: Choice, replication: int
) -> None:
    """Play a replication; refuse it if a user's function drew from a global generator.

    Such draws depend on what was drawn before, so the replication could not be repeated. Other
    threads may also draw from these generators (those of a Dask worker do), so a suspect
    replication is played again: one play without draws shows that the functions make none.
    """
    users = [f"{each.kind} {each.name!r}" for each in scenario.users(policy)]
    if not users:
        play()
        return
    for _ in range(1 + REPLAYS):
        drawn = _drawn_during(play)
        if not drawn:
            return
    raise PlayError(
        f"{' or '.join(users)} drew from {drawn} in replication {replication}, which cannot "
        "be repeated; draw from rng, the argument, instead"
    )


def _drawn_during(play: Callable[[], object]) -> str:
    """The first global generator that advanced during a play, '' if none did."""
    before = _states()
    play()
    after = _states()
    return next((name for name in before if before[name] != after[name]), "")


def _states() -> dict[str, object]:
    """The states of Python's and NumPy's global generators."""
    numpys = np.random.get_state(legacy=False)["state"]
    words = {word: np.asarray(part).tobytes() for word, part in numpys.items()}
    return {"Python's random": random.getstate(), "np.random": words}
