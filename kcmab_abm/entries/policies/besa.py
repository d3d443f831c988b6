"""Best empirical sampled average: duels on equal terms (Baransi, Maillard and Mannor 2014).

Two arms are compared by as many reports of each: of the arm with more of them, a random sample. An
arm with few reports is thus never compared with a more precise record than its own. Arms meet in a
knock-out tournament, drawn at random for every customer. The policy has no parameter and knows
nothing of the rewards, but has to remember all of them, and its sampling makes it slow.

Proved for two arms: regret of order ln T, under a condition that Bernoulli arms satisfy. For more
arms there is no proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.model.book import Book


def every_report(arms: int, given: Mapping[str, Any]) -> int:
    """Room for the rewards of every arm, should all customers take it."""
    return arms * int(given["horizon"])


def learn(arm: int, reward: float, book: Book, memory: Any) -> None:
    """Remember the reward behind those that this arm paid before."""
    room = len(memory.rewards) // len(book.means)
    memory.rewards[arm * room + int(book.pulls[arm]) - 1] = reward


def sampled_total(arm: int, count: int, book: Book, memory: Any, rng: Generator) -> float:
    """The sum of `count` rewards of an arm, drawn without replacement.

    The rewards drawn are moved to the front: the next sample does not depend on their order.
    """
    pulls = int(book.pulls[arm])
    start = arm * (len(memory.rewards) // len(book.means))
    total = 0.0
    for place in range(count):
        other = start + place + int(rng.random() * (pulls - place))
        drawn = float(memory.rewards[other])
        memory.rewards[other] = memory.rewards[start + place]
        memory.rewards[start + place] = drawn
        total += drawn
    return total


def duel(one: int, two: int, book: Book, memory: Any, rng: Generator) -> int:
    """The arm with the higher mean of equally many reports; the one with fewer wins a tie."""
    fewer, more = one, two
    if book.pulls[one] > book.pulls[two]:
        fewer, more = two, one
    total = float(book.totals[more])
    if book.pulls[more] > book.pulls[fewer]:
        total = sampled_total(more, int(book.pulls[fewer]), book, memory, rng)
    elif total == book.totals[fewer]:
        return fewer if book.first_ties or rng.random() < 0.5 else more
    return more if total > book.totals[fewer] else fewer


@policy(
    "besa",
    cites="Baransi, Maillard and Mannor 2014",
    learn=learn,
    memory={"rewards": every_report, "left": "arms"},
)
def choose(book: Book, memory: Any, rng: Generator) -> int:
    """Promotes the winner of a tournament in which arms are compared by equally many reports."""
    left = len(book.means)
    for arm in range(left):
        memory.left[arm] = arm
    while left > 1:
        for place in range(left - 1, 0, -1):
            other = int(rng.random() * (place + 1))
            arm = memory.left[other]
            memory.left[other] = memory.left[place]
            memory.left[place] = arm
        for pair in range(left // 2):
            one, two = int(memory.left[2 * pair]), int(memory.left[2 * pair + 1])
            memory.left[pair] = duel(one, two, book, memory, rng)
        if left % 2 == 1:
            memory.left[left // 2] = memory.left[left - 1]
        left = (left + 1) // 2
    return int(memory.left[0])
