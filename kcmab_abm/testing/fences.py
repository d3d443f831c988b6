"""Books and memories whose arrays raise an error wherever compiled code would overrun them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kcmab_abm.catalogue.entries import Entry, Number
from kcmab_abm.model.book import Book, record
from kcmab_abm.model.offers import Board, least_offer
from kcmab_abm.scenario.scenario import make_scenario


class Fenced(np.ndarray[Any, Any]):
    """An array that can be read and written at its own indices only, counted from the front."""

    def __getitem__(self, place: Any) -> Any:
        self._check(place)
        return super().__getitem__(place)

    def __setitem__(self, place: Any, value: Any) -> None:
        self._check(place)
        super().__setitem__(place, value)

    def _check(self, place: Any) -> None:
        if not 0 <= place < len(self):
            raise IndexError(f"entry {place} of an array of {len(self)}")


def fenced(size: int, kind: Any = np.float64) -> Any:
    """A fenced array of zeros."""
    return np.zeros(size, kind).view(Fenced)


def new_book(arms: int, first_ties: bool = False) -> Book:
    """An empty book."""
    top: Any = np.array([0, arms]).view(Fenced)
    return Book(fenced(arms, np.int64), fenced(arms), fenced(arms), top, fenced(1), first_ties)


def new_memory(entry: Entry, arms: int, values: tuple[Number, ...] | None = None) -> Any:
    """The memory of an entry at the start of a replication."""
    given = {**entry.defaults(), "horizon": 1000}
    if values is not None:
        given |= dict(zip(entry.parameters, values, strict=True))
    return fenced_memory(entry, entry.blank_memory(arms, given))


def fenced_memory(entry: Entry, blank: list[NDArray[np.float64]]) -> Any:
    """A copy of a blank memory."""
    return entry.memory_fields([each.copy().view(Fenced) for each in blank])


def fenced_tables(entry: Entry, arms: int, given: Mapping[str, Any]) -> Any:
    """The tables of an entry, which are read-only in any case."""
    tables = entry.new_tables(arms, given)
    return type(tables)(*(each.view(Fenced) for each in tables))


def copies(*tuples: Any) -> list[Any]:
    """The present content of the arrays of some named tuples."""
    return [np.array(part).tolist() for each in tuples for part in each]


class Crowd:
    """Customers as a scenario file describes them, the book they read, and the next one's number.

    `table` has the settings of `market.customers`.
    """

    def __init__(self, arms: int, table: Mapping[str, Any], first_ties: bool = False) -> None:
        market = {"arms": {"law": "bernoulli", "means": [0.5] * arms}, "customers": dict(table)}
        settings = {"horizon": 1, "market": market, "policy": [{"name": "greedy"}]}
        choice = make_scenario(settings).market.customers
        self.entry, self.params = choice.entry, choice.params
        self.memory = fenced_memory(self.entry, choice.blank_memory(arms, 1))
        self.book = new_book(arms, first_ties)
        self.number = 1

    def board(
        self, target: int, offer: float | None = None, rival: tuple[int, float] | None = None
    ) -> Board:
        """A board with an offer on the target (by default the least), and perhaps on a rival."""
        offers = fenced(len(self.book.means))
        if rival is not None:
            offers[rival[0]] = rival[1]
        offers[target] = least_offer(self.book, target) if offer is None else offer
        return Board(target, offers, rival is not None)

    def take(self, board: Board, rng: Generator) -> int:
        """The arm that the next customer takes."""
        return int(self._ask("act", rng, book=self.book, board=board, t=self.number))

    def tell(self, reward: float, payment: float, rng: Generator) -> float:
        """The reward that the customer who has just chosen reports."""
        if self.entry.report is None:
            return reward
        return float(self._ask("report", rng, reward=reward, payment=payment))

    def hear(self, arm: int, told: float, rng: Generator) -> None:
        """Everybody hears the report of the next customer, and the one after her comes."""
        record(self.book, arm, told)
        if self.entry.learn is not None:
            self._ask("learn", rng, t=self.number, arm=arm, reward=told, book=self.book)
        self.number += 1

    def _ask(self, field: str, rng: Generator, **given: Any) -> Any:
        return self.entry.ask(field, memory=self.memory, params=self.params, rng=rng, **given)
