"""Finished work in memory, so that no replication is run twice for several questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from kcmab_abm.model.trajectory import Tally
from kcmab_abm.results.results import EngineName
from kcmab_abm.running.chunk_files import Stretch, without_overlap
from kcmab_abm.running.journal import Journal
from kcmab_abm.running.workers import Chunk, Outcome
from kcmab_abm.scenario.scenario import Scenario


class SharedRuns(Journal):
    """A journal in memory for scenarios that differ in their policies and replications alone.

    A label must stand for the same policy in all of them, and nothing may be recorded.
    """

    def __init__(self) -> None:
        super().__init__(Path())
        self._tallies: defaultdict[str, dict[Stretch, Tally]] = defaultdict(dict)

    def at(self, point: int | None) -> SharedRuns:
        """Return this journal; it is not for sweeps."""
        return self

    def open(self, scenario: Scenario, engines: dict[str, EngineName]) -> None:
        """Nothing has to be prepared."""

    def recall(self, policy: str, first: int, last: int) -> Iterator[tuple[Stretch, Tally]]:
        """Yield the replications `first` to `last` of a policy that have been run, in order."""
        found = self._tallies[policy]
        return without_overlap(sorted(found), found.get, first, last)

    def keep(self, chunk: Chunk, outcome: Outcome) -> None:
        """Keep the outcome of a chunk."""
        stretch = Stretch(chunk.first, chunk.first + chunk.count - 1)
        self._tallies[chunk.policy][stretch] = outcome.tally
