"""Thompson sampling."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.book import Book, highest
from kcmab_abm.catalogue import policy


def learn(arm: int, reward: float, book: Book, memory: Any, params: Any, rng: Generator) -> None:
    """Procedure Update: Y ~ Bernoulli(X) counts as a success or as a failure."""
    if reward >= 1.0 or (reward > 0.0 and rng.random() < reward):
        memory.successes[arm] += 1.0
    else:
        memory.failures[arm] += 1.0


def sample(book: Book, memory: Any, rng: Generator) -> int:
    """The arm with the highest draw from Beta(1 + successes, 1 + failures)."""
    for arm in range(len(book.means)):
        memory.theta[arm] = rng.beta(1.0 + memory.successes[arm], 1.0 + memory.failures[arm])
    return highest(memory.theta, book, rng)


@policy(
    "ts",
    cites="Thompson 1933; Agrawal and Goyal 2013",
    learn=learn,
    memory={"successes": "arms", "failures": "arms", "theta": "arms"},
)
def choose(t: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Promotes the arm with the highest sample from its posterior, for every customer."""
    return sample(book, memory, rng)
