"""A market by hand for one policy or behaviour, with arrays that tell on whoever misuses them."""

from __future__ import annotations

from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.model.book import record
from kcmab_abm.model.offers import Board, least_offer
from kcmab_abm.testing import fences
from kcmab_abm.testing.fences import copies, fenced, new_book, new_memory

__all__ = ["copies", "fenced", "new_book", "new_memory"]


def defaults(entry):
    """The parameters of an entry, as they are unless told otherwise."""
    return tuple(parameter.default for parameter in entry.parameters.values())


def stated(entries):
    """The default of every parameter, and those of its bounds that are given."""
    bounds = ("gt", "ge", "lt", "le")
    return {
        (name, key): (
            each.default,
            {bound: getattr(each, bound) for bound in bounds if getattr(each, bound) is not None},
        )
        for name, parameters in entries.items()
        for key, each in parameters.items()
    }


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


class Crowd(fences.Crowd):
    """Customers whose draws are told beforehand."""

    def __init__(self, arms, first_ties=False, **table):
        super().__init__(arms, table, first_ties)

    def takes(self, target, offer=None, uniforms=(), normals=(), rival=None):
        """The arm that the next customer takes, if she draws these numbers and no others."""
        rng = Scripted(uniforms, normals)
        arm = self.take(self.board(target, offer, rival), rng)
        assert rng.is_used_up
        return arm

    def tell(self, reward, payment, rng=None):
        """The report of the customer who has just chosen."""
        return super().tell(reward, payment, rng or Scripted())

    def hear(self, arm, told, rng=None):
        """Everybody hears the report of the next customer."""
        super().hear(arm, told, rng or Scripted())

    def hear_all(self, reports):
        """One report after another, each an arm and what is told of it."""
        for arm, told in reports:
            self.hear(arm, told)
        return self


def promoted(name, steps, book, rng=None, memory=None, values=None, horizon=1000):
    """What a policy promotes to the customers `steps`, with the book as it stands."""
    entry = POLICIES[name]
    values = defaults(entry) if values is None else values
    memory = new_memory(entry, len(book.means), values) if memory is None else memory
    rng = Scripted() if rng is None else rng
    arms = [
        entry.ask(
            "act",
            t=t,
            horizon=horizon,
            book=book,
            view=book,
            memory=memory,
            params=entry.params(values),
            rng=rng,
        )
        for t in steps
    ]
    assert not isinstance(rng, Scripted) or rng.is_used_up
    return arms


def after(name, reports, arms, values=None):
    """The book and the memory of a policy that has heard these reports, arm by arm."""
    entry, book = POLICIES[name], new_book(arms)
    values = defaults(entry) if values is None else values
    memory = new_memory(entry, arms, values)
    for t, (arm, reward) in enumerate(reports, 1):
        record(book, arm, reward)
        entry.ask(
            "learn",
            t=t,
            arm=arm,
            reward=reward,
            book=book,
            memory=memory,
            params=entry.params(values),
            rng=Scripted(),
        )
    return book, memory
