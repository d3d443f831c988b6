"""Games in river: `pull`, a reward drawn by hand, `update`."""

from __future__ import annotations

import random

from driver import serve
from river import bandit, proba


def play(policy: str, means: list[float], horizon: int, seed: int) -> list[int]:
    """Play one game and return the number of pulls of each arm."""
    player = new_player(policy, seed)
    draw = random.Random(seed).random
    arms = list(range(len(means)))
    pulls = [0] * len(means)
    for _ in range(horizon):
        arm = player.pull(arms)
        player.update(arm, draw() < means[arm])
        pulls[arm] += 1
    return pulls


def new_player(policy: str, seed: int) -> bandit.base.Policy:
    """UCB1, which in river is UCB with delta = 1."""
    if policy == "ucb":
        return bandit.UCB(delta=1, seed=seed)
    return bandit.ThompsonSampling(reward_obj=proba.Beta(1, 1), seed=seed)


if __name__ == "__main__":
    serve("river", play)
