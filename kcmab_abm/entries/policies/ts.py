"""Thompson sampling: promote the arm with the highest sample from its posterior.

`textbook_sample` is the algorithm, with one Beta variate per arm. `sample` chooses each arm with
the same probability and draws fewer variates; docs/performance.md proves that it is exact, under
"Thompson sampling without all the samples".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.model.book import Book


def textbook_sample(memory: Any, rng: Generator) -> int:
    """The arm with the highest theta_i ~ Beta(1 + successes, 1 + failures), all of them drawn."""
    winner, best = 0, -1.0
    for arm in range(len(memory.successes)):
        theta = rng.beta(1.0 + memory.successes[arm], 1.0 + memory.failures[arm])
        if theta > best:
            winner, best = arm, theta
    return winner


STEPS = 4  # levels in a unit of the exponent
NEAR = 4  # the level below which theta is drawn
FAR = 32  # the highest level

# -ln(1 - exp(-e)) for the exponent e of every level: the part of the fuse that its trial uses.
HAZARDS = np.full(FAR + 1, np.inf)
HAZARDS[NEAR:] = -np.log1p(-np.exp(-np.arange(NEAR, FAR + 1) / STEPS))

MEMORY: dict[str, str | int] = {
    "successes": "arms",
    "failures": "arms",
    "share": "arms",
    "weight": "arms",
    "log_beta": "arms",
    "fuse": 1,
}


def learn(arm: int, reward: float, memory: Any, rng: Generator) -> None:
    """Procedure Update: Y ~ Bernoulli(X) counts as a success or as a failure."""
    successes = float(memory.successes[arm])
    failures = float(memory.failures[arm])
    coins = successes + failures + 2.0  # one more than there are with this one
    if reward >= 1.0 or (reward > 0.0 and rng.random() < reward):
        successes += 1.0
        memory.successes[arm] = successes
        memory.log_beta[arm] += math.log(successes / coins)
    else:
        failures += 1.0
        memory.failures[arm] = failures
        memory.log_beta[arm] += math.log(failures / coins)
    share = successes / coins
    variance = share * (1.0 - share) if share > 0.5 else 0.25
    memory.share[arm] = share
    memory.weight[arm] = STEPS * 0.5 * coins / variance


def sample(book: Book, memory: Any, rng: Generator) -> int:
    """The arm with the highest theta_i ~ Beta(1 + successes, 1 + failures).

    The leader's theta is drawn. The theta of another arm exceeds the best one so far, x, with
    probability at most exp(-e), e = (n+1) (x - share)^2 / (2 v), where share = successes / (n+1)
    and v is the largest variance u (1 - u) from share to 1. Below level `NEAR` of e theta is drawn.
    Otherwise an exponential variate E replaces it, and the arm loses unless E exceeds e. E exceeds
    the level of e in a trial that succeeds when its hazard uses up the fuse, another exponential
    variate. Only then is E drawn.
    """
    first = int(book.top[0])
    winner = first
    best = float(rng.beta(1.0 + memory.successes[first], 1.0 + memory.failures[first]))
    share, weight = memory.share, memory.weight
    fuse = float(memory.fuse[0])
    if fuse == 0.0:
        fuse = rng.standard_exponential()
    for arm in range(len(share)):
        if arm == first:
            continue
        gap = best - float(share[arm])
        bound = float(weight[arm]) * gap * gap if gap > 0.0 else 0.0
        level = int(bound) if bound < FAR else FAR
        rest = fuse - float(HAZARDS[level])
        if rest > 0.0:
            fuse = rest
            continue
        theta = 0.0
        if level < NEAR:
            theta = float(rng.beta(1.0 + memory.successes[arm], 1.0 + memory.failures[arm]))
        else:
            fuse = rng.standard_exponential()
            exponent = level / STEPS + rng.standard_exponential()
            if exponent > bound / STEPS and best < 1.0:
                theta = beyond(best, gap, arm, exponent, memory, rng)
        if theta > best:
            best = theta
            winner = arm
    memory.fuse[0] = fuse
    return winner


def beyond(x: float, gap: float, arm: int, exponent: float, memory: Any, rng: Generator) -> float:
    """The theta of an arm if it is above x, else 0; `exponent` is an exponential variate.

    Beyond x the density f is below the curve f(x) ((1 - theta) / (1 - x))^(k - 1) with the same
    slope at x, k = (n+1) gap / x. The mass under the curve is f(x) (1 - x) / k. The exponent
    decides whether to try a point under it, and which; one more variate, whether f is above it.
    """
    ones, zeros = float(memory.successes[arm]), float(memory.failures[arm])
    k = (ones + zeros + 1.0) * gap / x
    density = ones * math.log(x) + zeros * math.log(1.0 - x) - float(memory.log_beta[arm])
    left = exponent + density + math.log((1.0 - x) / k)
    if left <= 0.0:
        return 0.0
    step = left / k
    theta = 1.0 - (1.0 - x) * math.exp(-step)
    if rng.standard_exponential() < ones * (step * (1.0 - x) / x - math.log(theta / x)):
        return 0.0
    return theta


@policy(
    "ts",
    cites="Thompson 1933; Agrawal and Goyal 2013",
    learn=learn,
    memory=MEMORY,
)
def choose(book: Book, memory: Any, rng: Generator) -> int:
    """Promotes the arm with the highest sample from its posterior, for every customer."""
    return sample(book, memory, rng)
