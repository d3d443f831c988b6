"""Top-two Thompson sampling: find the best arm fast (Russo 2016; Shang et al. 2020).

The arm with the highest sample from the posterior is promoted with probability beta, and otherwise
its strongest challenger, the arm that would look better after the least unlikely change of both
records (the transportation cost of T3C). The policy is made to identify the best arm, and does not
care what customers lose: with beta below 1 regret is of order T. Proved for Gaussian rewards: of
all policies that give the best arm a share of beta, none needs fewer customers to be nearly
certain, in the limit. For Bernoulli rewards, as here, this is not proved for T3C. It is here
because identification is what an experimenter may want to pay for.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.entries.policies.ts import MEMORY, learn, sample
from kcmab_abm.model.book import Book, highest
from kcmab_abm.model.divergence import divergence


def transport(first: int, other: int, book: Book) -> float:
    """How unlikely it is that an arm is at least as good as the first, given both records.

    N_1 KL(m_1, m) + N_2 KL(m_2, m) with the mean m of both records together; 0 if the other arm has
    the better record. Records outside [0, 1], which only dishonest customers make, count as 0 or 1.
    """
    one, two = held(float(book.means[first])), held(float(book.means[other]))
    if two >= one:
        return 0.0
    n, k = int(book.pulls[first]), int(book.pulls[other])
    mean = (n * one + k * two) / (n + k)
    if not two < mean < one:  # the records are so close that their mean is rounded to one of them
        return 0.0
    return n * divergence(one, mean) + k * divergence(two, mean)


def held(mean: float) -> float:
    """The nearest number in [0, 1]."""
    return min(1.0, max(0.0, mean))


SLACK = 1e-9  # far more than the rounding errors of a cost


def challenger(first: int, book: Book, memory: Any, rng: Generator) -> int:
    """The other arm with the least cost.

    By Pinsker's inequality a cost is at least 2 n k / (n + k) times the squared gap: where this
    exceeds another arm's cost, the divergences need not be computed.
    """
    least = math.inf
    for arm in range(len(book.means)):
        memory.index[arm] = -math.inf
        if arm == first:
            continue
        gap = max(0.0, held(float(book.means[first])) - held(float(book.means[arm])))
        n, k = int(book.pulls[first]), int(book.pulls[arm])
        if 2.0 * n * k / (n + k) * gap * gap <= least * (1.0 + SLACK) + SLACK:
            cost = transport(first, arm, book)
            memory.index[arm] = -cost
            least = min(least, cost)
    return highest(memory.index, book, rng)


@policy(
    "top-two",
    cites="Russo 2016; Shang, de Heide, Kaufmann, Menard and Valko 2020",
    learn=learn,
    memory={**MEMORY, "index": "arms"},
    beta=Parameter(0.5, "probability of promoting the sampled arm itself", gt=0.0, le=1.0),
)
def choose(book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Promotes the arm with the highest posterior sample, or, half of the time, its challenger."""
    first = sample(book, memory, rng)
    if len(book.means) == 1 or rng.random() < params.beta:
        return first
    return challenger(first, book, memory, rng)
