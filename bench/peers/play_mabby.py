"""Games in mabby: `choose`, `play`, `update`, without the statistics of its simulation."""

from __future__ import annotations

import math

import numpy as np
from driver import serve
from mabby import BernoulliArm
from mabby.strategies import BetaTSStrategy, UCB1Strategy


def play(policy: str, means: list[float], horizon: int, seed: int) -> list[int]:
    """Play one game and return the number of pulls of each arm."""
    rng = np.random.default_rng(seed)
    bandit = BernoulliArm.bandit(p=means, rng=rng)
    # Its width is alpha sqrt(ln t / N_i): this alpha makes it the textbook's.
    strategy = UCB1Strategy(alpha=math.sqrt(2.0)) if policy == "ucb" else BetaTSStrategy()
    agent = strategy.agent()
    agent.prime(len(means), horizon, rng)
    pulls = [0] * len(means)
    for _ in range(horizon):
        arm = agent.choose()
        agent.update(bandit.play(arm))
        pulls[arm] += 1
    return pulls


if __name__ == "__main__":
    serve("mabby", play)
