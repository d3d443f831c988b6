"""Randomised choices for markets that may be hostile (Zimmert and Seldin 2021).

Every arm is promoted with a probability that falls with its estimated loss. The estimate divides
what was lost on an arm by the probability with which it was promoted, so that it is unbiased
whatever the rewards do. Proved: regret of order sqrt(N T) even if an adversary chooses the rewards,
and of order ln T if they are drawn as they are here and one arm is the best; the policy need not
know which. It pays for this guarantee: customers are sent to poor arms at random, for ever.

Only reports on the arm that was promoted count. Those of the first N customers, and of customers
who refused, were not drawn with a known probability.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.model.book import Book, draw_weighted

STEPS = 50  # far more than Newton's method takes
NEAR = 1e-10  # how far the probabilities may be from adding up to 1


def learn(t: int, arm: int, reward: float, memory: Any) -> None:
    """Add the loss on the promoted arm, divided by its probability."""
    if memory.chance[t - 1] > 0.0 and memory.promoted[t - 1] == arm:
        memory.loss[arm] += (1.0 - reward) / memory.chance[t - 1]


def fill_chances(rate: float, memory: Any) -> float:
    """Fill in the probabilities 4 / (rate (L_i - x))^2, x such that they add up to 1.

    Newton's method: the sum is convex in x, and not below 1 at the first x. Return the sum.
    """
    arms = len(memory.loss)
    least = math.inf
    for arm in range(arms):
        least = min(least, float(memory.loss[arm]))
    x = least - 2.0 / rate
    total = 0.0
    for _ in range(STEPS):
        total = slope = 0.0
        for arm in range(arms):
            root = 2.0 / (rate * (float(memory.loss[arm]) - x))
            memory.weight[arm] = root * root
            total += root * root
            slope += root * root * root
        if total - 1.0 <= NEAR:
            break
        x -= (total - 1.0) / (rate * slope)
    return total


@policy(
    "tsallis-inf",
    cites="Zimmert and Seldin 2021",
    learn=learn,
    memory={"loss": "arms", "weight": "arms", "chance": "horizon", "promoted": "horizon"},
)
def choose(t: int, book: Book, memory: Any, rng: Generator) -> int:
    """Promotes an arm at random, with a probability that falls with its estimated loss."""
    total = fill_chances(2.0 / math.sqrt(t), memory)
    arm = draw_weighted(memory.weight, total, int(book.top[0]), rng)
    memory.promoted[t - 1] = arm
    memory.chance[t - 1] = memory.weight[arm] / total
    return arm
