"""Thompson sampling, exact without drawing every sample."""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator
from scipy.special import betainccinv

from kcmab_abm.book import Book
from kcmab_abm.catalogue import policy
from kcmab_abm.policies.kl_ucb import divergence

WORTHWHILE = 2.5  # exponents from which on a bound saves more than the rare exact tail costs


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

    The leader's theta is drawn. The theta of another arm exceeds the best one so far, x, with
    probability P(Binomial(n + 1, x) <= successes). By Hoeffding and by Chernoff that is at most
    exp(-2 (n+1) (x - share)^2) and exp(-(n+1) KL(share, x)), share = successes / (n+1). Where the
    first bound is small, an exponential variate E stands for theta, as the point that theta exceeds
    with probability exp(-E): a small E settles that the arm loses, and only a large one is worked
    out. Elsewhere theta is drawn.
    """
    first = int(book.top[0])
    winner = first
    best = rng.beta(1.0 + memory.successes[first], 1.0 + memory.failures[first])
    share, weight = memory.share, memory.weight
    for arm in range(len(share)):
        if arm == first:
            continue
        gap = best - float(share[arm])
        bound = float(weight[arm]) * gap * gap
        if gap > 0.0 and bound > WORTHWHILE:
            exponent = rng.standard_exponential()
            if exponent <= bound or best >= 1.0:
                continue
            if exponent <= 0.5 * weight[arm] * divergence(float(share[arm]), best):
                continue
            chance = math.exp(-exponent)
            theta = betainccinv(1.0 + memory.successes[arm], 1.0 + memory.failures[arm], chance)
        else:
            theta = rng.beta(1.0 + memory.successes[arm], 1.0 + memory.failures[arm])
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
