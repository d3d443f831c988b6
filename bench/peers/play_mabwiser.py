"""Games in MABWiser: `predict`, a reward drawn by hand, `partial_fit`."""

from __future__ import annotations

import random

from driver import serve
from mabwiser.mab import MAB, LearningPolicy


def play(policy: str, means: list[float], horizon: int, seed: int) -> list[int]:
    """Play one game and return the number of pulls of each arm."""
    draw = random.Random(seed).random
    arms = list(range(len(means)))
    rule = LearningPolicy.UCB1(alpha=1) if policy == "ucb" else LearningPolicy.ThompsonSampling()
    player = MAB(arms, rule, seed=seed)
    # It has to be fitted before its first prediction: one pull of every arm.
    player.fit(arms, [int(draw() < mean) for mean in means])
    pulls = [1] * len(means)
    for _ in range(horizon - len(means)):
        arm = player.predict()
        player.partial_fit([arm], [int(draw() < means[arm])])
        pulls[arm] += 1
    return pulls


if __name__ == "__main__":
    serve("mabwiser", play)
