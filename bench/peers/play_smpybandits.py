"""Games in SMPyBandits: `choice`, `draw`, `getReward`, without its evaluator."""

from __future__ import annotations

import contextlib
import sys

import numpy as np
from driver import serve

with contextlib.redirect_stdout(sys.stderr):  # it prints warnings on import
    from SMPyBandits.Arms import Bernoulli
    from SMPyBandits.Policies import UCB, Thompson

POLICIES = {"ucb": UCB, "ts": Thompson}


def play(policy: str, means: list[float], horizon: int, seed: int) -> list[int]:
    """Play one game and return the number of pulls of each arm."""
    np.random.seed(seed)
    player = POLICIES[policy](len(means))
    player.startGame()
    arms = [Bernoulli(mean) for mean in means]
    pulls = [0] * len(means)
    for _ in range(horizon):
        arm = player.choice()
        player.getReward(arm, arms[arm].draw())
        pulls[arm] += 1
    return pulls


if __name__ == "__main__":
    serve("SMPyBandits", play)
