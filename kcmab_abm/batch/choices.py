"""The choices of policies for records of two Bernoulli arms, and what they cost; compiled."""

from __future__ import annotations

import types
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.compile import Prepare, from_sources, module_for
from kcmab_abm.batch.kernels import policy_functions
from kcmab_abm.batch.ready import agent, tables_of
from kcmab_abm.catalogue.entries import Entry
from kcmab_abm.errors import EngineError
from kcmab_abm.model.book import Book, empty_book
from kcmab_abm.model.budget import Purse
from kcmab_abm.model.streams import POLICY, Stream
from kcmab_abm.scenario.scenario import Scenario

Floats = NDArray[np.float64]


class Asking(NamedTuple):
    """What a policy is asked with: a record, its parameters and memory, a generator's state.

    `start` is the memory as a replication finds it, and `fresh` the state of the generator before
    every choice, of which `words` is the present one.
    """

    book: Book
    purse: Purse
    horizon: int
    values: Floats
    start: Floats
    bounds: NDArray[np.int64]
    memory: Floats
    tables: tuple[NDArray[Any], ...] | None
    words: NDArray[np.uint64]
    fresh: NDArray[np.uint64]


class Choices:
    """The arm that the policy of a scenario with two arms promotes, for every record.

    The policy's own `choose` is asked, with a memory that has heard of the record, but of nothing
    before it: `learn` is called once per arm.
    """

    def __init__(self, scenario: Scenario) -> None:
        policy = scenario.policies[0]
        self.name = policy.entry.name
        self._module = _module(policy.entry)
        stream = Stream()
        self._rng = _late_tie(stream)
        held = agent("policy", policy, scenario)
        start = held["policy_start"]
        self._asking = Asking(
            book=empty_book(2),
            purse=scenario.purse.new_purse(False),
            horizon=scenario.horizon,
            values=held["policy_values"],
            start=start,
            bounds=held["policy_bounds"],
            memory=np.empty_like(start),
            tables=tables_of(policy, scenario),
            words=stream.words,
            fresh=stream.words.copy(),
        )

    def share(self, n1: int, s1: int, n2: int, s2: int) -> float:
        """The probability that arm 1 is promoted for one record: 0, 1/2 or 1."""
        chances = np.zeros((n1 + 1, n2 + 1))
        chances[s1, s2] = 1.0
        return float(self.shares(n1, n2, chances)[s1, s2])

    def shares(self, n1: int, n2: int, chances: Floats) -> Floats:
        """The same for all records with `n1` and `n2` reports and a chance above 0, by s1 and s2.

        It is 0 for the others: the policy is not asked about records to which it never leads.
        """
        shares = np.zeros((n1 + 1, n2 + 1))
        s1, s2 = self._module.fill_shares(self._asking, self._rng, n1, n2, chances, shares)
        if s1 >= 0:
            raise self._refusal(float(shares[s1, s2]), (n1, s1, n2, s2))
        return shares

    def _refusal(self, found: float, record: tuple[int, int, int, int]) -> EngineError:
        n1, s1, n2, s2 = record
        did = (
            "draws at random where no arms are tied"
            if found == self._module.DRAWN
            else "promotes an arm that does not exist"
        )
        return EngineError(
            f"no exact value for policy {self.name!r}: it {did}, after {s1} ones in {n1} reports "
            f"on arm 1 and {s2} in {n2} on arm 2; simulate it instead"
        )


def _module(policy: Entry) -> types.ModuleType:
    def supplied(prepare: Prepare) -> dict[str, Any]:
        return policy_functions(policy, prepare)

    return module_for("choosing", supplied, {}, policy)


def _late_tie(stream: Stream) -> np.random.Generator:
    """A generator whose next number breaks a tie of two arms in favour of the second."""
    replication = 0
    while stream.open(0, replication, POLICY).random() < 0.5:
        replication += 1
    return stream.open(0, replication, POLICY)


def induction() -> types.ModuleType:
    """The compiled steps of the backward induction."""
    return from_sources("induction", "", {})
