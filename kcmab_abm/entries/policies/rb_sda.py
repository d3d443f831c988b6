"""Random-block sub-sampling duels (Baudry, Kaufmann and Maillard 2020).

In every round the arm with most reports, the leader, meets all others. A challenger with n reports
wins if their mean is not below that of n successive reports of the leader, a block drawn at random.
All winners are promoted in this round, one after another, or the leader if there is none.

Proved: for Bernoulli, Gaussian and Poisson arms regret is asymptotically that of Lai and Robbins,
without knowing which they are; for Beta arms nothing is proved. The policy has no parameter, but
remembers all reports: the sum of a block is a difference of two running sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.model.book import Book


def running_sums(arms: int, given: Mapping[str, Any]) -> int:
    """Room for a sum before the first report of an arm, and one after each."""
    return arms * (int(given["horizon"]) + 1)


def learn(arm: int, book: Book, memory: Any) -> None:
    """Remember the sum of all rewards of this arm so far."""
    room = len(memory.sums) // len(book.means)
    memory.sums[arm * room + int(book.pulls[arm])] = book.totals[arm]


def most_reported(book: Book, rng: Generator) -> int:
    """The arm with most reports; of several, the one with the best record."""
    leader, tied = 0, 1
    for arm in range(1, len(book.means)):
        if book.pulls[arm] == book.pulls[leader] and book.totals[arm] == book.totals[leader]:
            tied += 1
            if not book.first_ties and rng.random() * tied < 1.0:
                leader = arm
        elif book.pulls[arm] > book.pulls[leader] or (
            book.pulls[arm] == book.pulls[leader] and book.totals[arm] > book.totals[leader]
        ):
            leader, tied = arm, 1
    return leader


def wins(arm: int, leader: int, book: Book, memory: Any, rng: Generator) -> bool:
    """Whether an arm is at least as good as a random block of the leader's reports."""
    pulls = int(book.pulls[arm])
    spare = int(book.pulls[leader]) - pulls
    if spare <= 0:
        return False
    room = len(memory.sums) // len(book.means)
    start = leader * room + int(rng.random() * (spare + 1))
    return bool(book.totals[arm] >= memory.sums[start + pulls] - memory.sums[start])


@policy(
    "rb-sda",
    cites="Baudry, Kaufmann and Maillard 2020",
    learn=learn,
    memory={"sums": running_sums, "waiting": "arms", "winners": 1},
)
def choose(book: Book, memory: Any, rng: Generator) -> int:
    """Promotes the winners of a round of duels one after another, or the leader without any."""
    if memory.winners[0] == 0.0:
        leader = most_reported(book, rng)
        for arm in range(len(book.means)):
            if arm != leader and wins(arm, leader, book, memory, rng):
                memory.waiting[arm] = 1.0
                memory.winners[0] += 1.0
        if memory.winners[0] == 0.0:
            return leader
    skip = int(rng.random() * memory.winners[0])
    for arm in range(len(book.means)):
        if memory.waiting[arm] == 1.0:
            if skip == 0:
                break
            skip -= 1
    memory.waiting[arm] = 0.0
    memory.winners[0] -= 1.0
    return arm
