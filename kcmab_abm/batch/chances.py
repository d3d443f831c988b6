"""The chances of choices that were observed; compiled where the behaviour can be."""

from __future__ import annotations

import types
from collections.abc import Callable
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.compile import Prepare, module_for
from kcmab_abm.batch.kernels import customer_functions
from kcmab_abm.catalogue.composition import CHANCES, chances_of
from kcmab_abm.catalogue.entries import Entry
from kcmab_abm.catalogue.roles import calling
from kcmab_abm.model.book import Book, empty_book
from kcmab_abm.model.seen import Seen
from kcmab_abm.model.streams import CUSTOMERS, Stream
from kcmab_abm.scenario.world import Choice

Floats = NDArray[np.float64]


class Room(NamedTuple):
    """The arrays in which a run is replayed.

    `shown` is what a customer sees, `values` are the parameters, and `start` is the memory as a run
    finds it.
    """

    book: Book
    shown: Book
    values: Floats
    start: Floats
    bounds: NDArray[np.int64]
    memory: Floats
    chances: Floats


class Chances:
    """The chances of choices by customers of one behaviour, a pair whose decision has `chances`.

    Functions that cannot be compiled are interpreted. So are those that fail when compiled, so that
    errors are always Python's.
    """

    def __init__(self, entry: Entry, arms: int, first_ties: bool) -> None:
        def supplied(prepare: Prepare) -> dict[str, Any]:
            return {
                **customer_functions(entry, prepare),
                "chances": prepare(CHANCES, chances_of(entry)),
            }

        module = module_for("replaying", supplied, {}, entry)
        plain = supplied(lambda role, function: calling(function, role))
        code = module.replay.py_func.__code__
        self._fill: Callable[..., None] = module.fill_chances
        self._interpreted = types.FunctionType(code, {**vars(module), **plain})
        self._books = empty_book(arms, first_ties), empty_book(arms, first_ties)
        self._chances = np.empty(arms)
        self._stream = Stream()

    def of(self, seen: Seen, choice: Choice, horizon: int) -> tuple[Floats, Floats]:
        """The chance of every choice in a run, and its share of the arms with the highest chance.

        Parameters
        ----------
        seen
            What the customers saw and took.
        choice
            The behaviour with its parameters.
        horizon
            The number of customers for whom there must be memory.
        """
        arrays = choice.blank_memory(len(self._chances), horizon)
        start = np.concatenate([np.zeros(0), *arrays])
        bounds = np.array([0, *accumulate(map(len, arrays))], np.int64)
        values = np.array(choice.values, np.float64)
        room = Room(*self._books, values, start, bounds, np.empty_like(start), self._chances)
        own, likeliest = np.empty(len(seen.customers)), np.empty(len(seen.customers))
        rng = self._stream.open(0, 0, CUSTOMERS)
        try:
            self._fill(seen, room, rng, own, likeliest)
        except (OSError, MemoryError):  # not the fault of what is compiled
            raise
        except Exception:  # numba's are of many kinds
            if self._fill is self._interpreted:
                raise
            self._fill = self._interpreted
            return self.of(seen, choice, horizon)
        return own, likeliest
