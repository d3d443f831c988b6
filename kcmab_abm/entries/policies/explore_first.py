"""Explore first, then commit to one arm (Garivier, Kaufmann and Lattimore 2016).

Every arm is promoted the same number of times; the one that leads then is promoted for ever, and
paid for should another one overtake it. With a number that does not grow with the horizon, a poor
arm is kept with a probability that does not fall either: regret is of order T. With one of order
ln T it is of order ln T, but to choose it one has to know the gap of the two best arms.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book, leader


@policy(
    "explore-first",
    cites="Garivier, Kaufmann and Lattimore 2016; Slivkins 2019, chapter 1",
    memory={"kept": 1},
    each=Parameter(50, "customers sent to every arm at first, the first N included", ge=1),
)
def choose(t: int, book: Book, memory: Any, params: Any, rng: Generator) -> int:
    """Promotes all arms in turn, `each` times, and from then on the arm that led at that time."""
    arms = len(book.means)
    if t <= params.each * arms:
        return (t - 1) % arms
    if memory.kept[0] == 0.0:
        memory.kept[0] = 1.0 + leader(book, rng)
    return int(memory.kept[0]) - 1
