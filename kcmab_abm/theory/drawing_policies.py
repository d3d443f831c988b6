"""The chances with which policies that draw promote each of two Bernoulli arms.

`chances[state, arm, then, s1, s2]` is the probability that a policy whose memory is in a state
promotes this arm and remembers `then`, if there were so many ones on each arm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from kcmab_abm.theory.induction import Block, Floats, record_means

Chances = Callable[[Block], Floats]


def by_share(share: Floats) -> Floats:
    """The chances of a policy that remembers nothing, from the share of arm 1."""
    return np.stack([share, 1.0 - share])[np.newaxis, :, np.newaxis]


def leader_share(n1: int, n2: int) -> Floats:
    """The probability that arm 1 is the leader, for every (s1, s2); ties are broken at random."""
    return np.asarray(0.5 + 0.5 * np.sign(np.subtract.outer(record_means(n1), record_means(n2))))


def posterior_share(n1: int, n2: int) -> Floats:
    """The probability that arm 1 has the higher sample from its posterior, for every (s1, s2).

    P(Beta(1 + s1, 1 + n1 - s1) > Beta(1 + s2, 1 + n2 - s2)) is the sum over j <= s1 of
    C(n1 + 1, j) C(n2, s2) / C(n1 + n2 + 1, j + s2), times (n2 + 1) / (n1 + n2 + 2).

    >>> posterior_share(1, 1).round(4).tolist()
    [[0.5, 0.1667], [0.8333, 0.5]]
    """
    every = n1 + n2
    j, s2 = np.arange(n1 + 1), np.arange(n2 + 1)
    terms = _log_choose(n1 + 1, j)[:, None] + _log_choose(n2, s2)
    terms -= _log_choose(every + 1, np.arange(every + 1))[j[:, None] + s2]
    share = np.cumsum(np.exp(terms), axis=0)
    return np.minimum((n2 + 1) / (every + 2) * share, 1.0)


def ts(params: Any) -> tuple[int, Chances]:
    """Thompson sampling: the arm with the higher sample."""
    return 1, lambda block: by_share(posterior_share(block.n1, block.n2))


def epsilon_greedy(params: Any) -> tuple[int, Chances]:
    """Explore with probability epsilon / t, either arm; else promote the leader."""

    def chances(block: Block) -> Floats:
        n1, n2 = block.n1, block.n2
        explored = min(1.0, params.epsilon / (n1 + n2 + 1))
        return by_share(explored * 0.5 + (1.0 - explored) * leader_share(n1, n2))

    return 1, chances


def modified_epsilon_greedy(params: Any) -> tuple[int, Chances]:
    """Explore with probability epsilon / t, the arm whose turn it is; else promote the leader.

    The state is the arm whose turn it is, and exploring passes it on.
    """

    def chances(block: Block) -> Floats:
        n1, n2 = block.n1, block.n2
        explored = min(1.0, params.epsilon / (n1 + n2 + 1))
        found = np.zeros((2, 2, 2, n1 + 1, n2 + 1))
        led = (1.0 - explored) * leader_share(n1, n2)
        for turn in range(2):
            found[turn, 0, turn] = led
            found[turn, 1, turn] = 1.0 - explored - led
            found[turn, turn, 1 - turn] += explored
        return found

    return 2, chances


def modified_ts(params: Any) -> tuple[int, Chances]:
    """Rounds: the leader for some customers, then the arm with the higher sample.

    The samples are drawn from the posterior before the round's first customer. The state is the arm
    that has the higher one; in the first state a round begins as well, with customer 3.
    """
    free = int(getattr(params, "free_customers", 1))

    def chances(block: Block) -> Floats:
        n1, n2 = block.n1, block.n2
        place = (n1 + n2 - 2) % (free + 1)
        found = np.zeros((2, 2, 2, n1 + 1, n2 + 1))
        led = leader_share(n1, n2)
        if place == free:  # the sampled arm, and no arm is sampled for the next customer
            found[0, 0, 0] = found[1, 1, 0] = 1.0
        elif place > 0:
            for sampled in range(2):
                found[sampled, :, sampled] = led, 1.0 - led
        else:
            higher = posterior_share(n1, n2)
            for sampled, share in enumerate((higher, 1.0 - higher)):
                found[0, :, sampled] = share * led, share * (1.0 - led)
        return found

    return 2, chances


# What the settings of each policy make of it: the number of states of its memory, and the chances.
DRAWING: dict[str, Callable[[Any], tuple[int, Chances]]] = {
    "ts": ts,
    "modified-ts": modified_ts,
    "epsilon-greedy": epsilon_greedy,
    "modified-epsilon-greedy": modified_epsilon_greedy,
}


def _log_choose(n: int, k: NDArray[np.int64]) -> Floats:
    """The logarithm of n choose k."""
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
