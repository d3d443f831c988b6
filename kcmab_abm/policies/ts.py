"""Thompson sampling, exact without drawing every sample."""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator
from scipy.special import betainccinv

from kcmab_abm.book import Book
from kcmab_abm.catalogue import policy
from kcmab_abm.policies.kl_ucb import divergence


def learn(arm: int, reward: float, book: Book, memory: Any, params: Any, rng: Generator) -> None:
    """Procedure Update: Y ~ Bernoulli(X) counts as a success or as a failure."""
    successes = float(memory.successes[arm])
    failures = float(memory.failures[arm])
    if reward >= 1.0 or (reward > 0.0 and rng.random() < reward):
        successes += 1.0
        memory.successes[arm] = successes
    else:
        failures += 1.0
        memory.failures[arm] = failures
    coins = successes + failures + 1.0
    memory.share[arm] = successes / coins
    memory.weight[arm] = 2.0 * coins


def sample(book: Book, memory: Any, rng: Generator) -> int:
    """The arm with the highest theta_i ~ Beta(1 + successes, 1 + failures).

    The leader's theta is drawn. For every other arm an exponential variate E stands for its theta,
    as the point which theta exceeds with probability exp(-E). Theta exceeds the best one so far, x,
    with probability P(Binomial(n + 1, x) <= successes), which by Hoeffding and by Chernoff is at
    most exp(-2 (n+1) (x - share)^2) and exp(-(n+1) KL(share, x)), share = successes / (n+1). So a
    small E settles that the arm loses; otherwise its theta is worked out.
    """
    first = int(book.top[0])
    winner = first
    best = rng.beta(1.0 + memory.successes[first], 1.0 + memory.failures[first])
    share, weight = memory.share, memory.weight
    for arm in range(len(share)):
        if arm == first:
            continue
        exponent = rng.standard_exponential()
        gap = best - float(share[arm])
        if gap > 0.0:
            if exponent <= float(weight[arm]) * gap * gap:
                continue
            if best >= 1.0 or exponent <= 0.5 * weight[arm] * divergence(float(share[arm]), best):
                continue
        chance = math.exp(-exponent)
        theta = betainccinv(1.0 + memory.successes[arm], 1.0 + memory.failures[arm], chance)
        if theta > best:
            best = float(theta)
            winner = arm
    return winner


@policy(
    "ts",
    cites="Thompson 1933; Agrawal and Goyal 2013",
    learn=learn,
    memory={"successes": "arms", "failures": "arms", "share": "arms", "weight": "arms"},
)
def choose(t: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Promotes the arm with the highest sample from its posterior, for every customer."""
    return sample(book, memory, rng)
