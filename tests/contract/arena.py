"""A market by hand for one policy or behaviour, with arrays that tell on whoever misuses them."""

from __future__ import annotations

import numpy as np

from kcmab_abm import make_scenario
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
    return Book(fenced(arms, np.int64), fenced(arms), fenced(arms), top, fenced(1), first_ties)


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
    """A generator that draws the numbers it was told to, and nothing else."""

    def __init__(self, uniforms=(), normals=()):
        self.uniforms = list(uniforms)
        self.normals = list(normals)

    def random(self):
        """The next uniform."""
        return self.uniforms.pop(0)

    def standard_normal(self):
        """The next normal."""
        return self.normals.pop(0)

    @property
    def is_used_up(self):
        """Whether all draws were taken."""
        return not (self.uniforms or self.normals)


class Crowd:
    """Customers as a scenario file describes them, the book they read, and their next number."""

    def __init__(self, arms, first_ties=False, **table):
        market = {"arms": {"law": "bernoulli", "means": [0.5] * arms}, "customers": table}
        settings = {"horizon": 1, "market": market, "policy": [{"name": "greedy"}]}
        choice = make_scenario(settings).market.customers
        self.entry, self.params = choice.entry, choice.params
        blank = [each.copy().view(Fenced) for each in choice.blank_memory(arms)]
        self.memory = self.entry.memory_fields(blank)
        self.book = new_book(arms, first_ties)
        self.number = 1

    def board(self, target, offer=None, rival=None):
        """A board with the least offer on the target, or another, and perhaps one elsewhere."""
        board = board_of(self.book, target, offer)
        if rival is None:
            return board
        offers = fenced(len(self.book.means))
        offers[rival[0]], offers[target] = rival[1], board.offers[target]
        return Board(target, offers, True)

    def take(self, board, rng):
        """The arm that the next customer takes."""
        return self.entry.act(self.number, self.book, board, self.memory, self.params, rng)

    def takes(self, target, offer=None, uniforms=(), normals=(), rival=None):
        """The arm that the next customer takes, if she draws these numbers and no others."""
        rng = Scripted(uniforms, normals)
        arm = self.take(self.board(target, offer, rival), rng)
        assert rng.is_used_up
        return arm

    def tell(self, reward, payment, rng=None):
        """What the customer who has just chosen says that she got."""
        if self.entry.report is None:
            return reward
        return self.entry.report(reward, payment, self.memory, self.params, rng or Scripted())

    def hear(self, arm, told, rng=None):
        """Everybody hears what the next customer tells of her arm, and the one after her comes."""
        record(self.book, arm, told)
        if self.entry.learn is not None:
            rng = rng or Scripted()
            self.entry.learn(self.number, arm, told, self.book, self.memory, self.params, rng)
        self.number += 1

    def hear_all(self, reports):
        """One report after another, each an arm and what is told of it."""
        for arm, told in reports:
            self.hear(arm, told)
        return self
