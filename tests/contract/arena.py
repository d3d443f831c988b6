"""A market by hand for one policy or behaviour, with arrays that tell on whoever misuses them."""

from __future__ import annotations

import numpy as np

from kcmab_abm.book import Book, record
from kcmab_abm.offers import Board, least_offer


class Fenced(np.ndarray):
    """An array that may be read and written at its own indices only, counted from the front."""

    def __getitem__(self, place):
        """Read an entry that exists."""
        self._check(place)
        return super().__getitem__(place)

    def __setitem__(self, place, value):
        """Write an entry that exists."""
        self._check(place)
        super().__setitem__(place, value)

    def _check(self, place):
        if not 0 <= place < len(self):
            raise IndexError(f"entry {place} of an array of {len(self)}")


def fenced(size, dtype=np.float64):
    """A fenced array of zeros."""
    return np.zeros(size, dtype).view(Fenced)


def defaults(entry):
    """The parameters of an entry, as they are unless told otherwise."""
    return tuple(parameter.default for parameter in entry.parameters.values())


def new_memory(entry, arms, values=None):
    """The empty memory of an entry, fenced."""
    given = entry.defaults()
    if values is not None:
        given |= dict(zip(entry.parameters, values, strict=True))
    return entry.memory_fields([each.view(Fenced) for each in entry.blank_memory(arms, given)])


def new_book(arms, first_ties=False):
    """An empty book, fenced."""
    top = np.array([0, arms]).view(Fenced)
    return Book(fenced(arms, np.int64), fenced(arms), fenced(arms), top, first_ties)


def book_of(means, pulls=None):
    """A book with these means, and one report of each arm unless told otherwise."""
    book = new_book(len(means))
    for arm, mean in enumerate(means):
        record(book, arm, mean)
    if pulls is not None:
        for arm, count in enumerate(pulls):
            book.pulls[arm] = count
            book.totals[arm] = count * means[arm]
    return book


def board_of(book, target, offer=None):
    """A board with the least offer on the target, or another."""
    offers = fenced(len(book.means))
    offers[target] = least_offer(book, target) if offer is None else offer
    return Board(target, offers, False)


def copies(*tuples):
    """The arrays of some named tuples, as they are now."""
    return [np.array(part).tolist() for each in tuples for part in each]


class Scripted:
    """A generator that draws the uniforms it was told to, and nothing else."""

    def __init__(self, uniforms=()):
        self.uniforms = list(uniforms)

    def random(self):
        """The next uniform."""
        return self.uniforms.pop(0)

    @property
    def is_used_up(self):
        """Whether all draws were taken."""
        return not self.uniforms
