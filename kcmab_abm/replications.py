"""All replications of a scenario: those that a journal holds, and those that are still to run."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor

from kcmab_abm.journal import Journal, Stretch, gaps
from kcmab_abm.measures import Runs, checkpoints
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Tally
from kcmab_abm.workers import Chunk, EngineName, Progress, chunk_size, outcomes
from kcmab_abm.world import Choice


class Replications:
    """The replications of a scenario, added up policy by policy as they are done."""

    def __init__(
        self,
        scenario: Scenario,
        engines: dict[str, EngineName],
        *,
        jobs: int | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
        journal: Journal | None = None,
    ) -> None:
        self.scenario = scenario
        self.points = checkpoints(scenario.horizon)
        arms = len(scenario.market.arms)
        self.runs = {choice.label: Runs(len(self.points), arms) for choice in scenario.policies}
        self._teams: dict[EngineName, tuple[Choice, ...]] = {
            name: tuple(each for each in scenario.policies if engines[each.label] == name)
            for name in dict.fromkeys(engines.values())
        }
        self._jobs = jobs
        self._executor = executor
        self._progress = progress
        self._journal = journal
        if journal is not None:
            journal.open(scenario, engines)

    def run(self, first: int, last: int, expected: int = 0) -> None:
        """Run replications `first` to `last - 1`, or take them from the journal.

        Progress is told as a part of all that are `expected` to be run in the end.
        """
        for runs in self.runs.values():
            runs.grow(last)
        chunks = [chunk for engine in self._teams for chunk in self._missing(engine, first, last)]
        journal = self._journal
        each = self.scenario.horizon * len(self.scenario.policies)
        for chunk, outcome in outcomes(
            chunks,
            last * each,
            jobs=self._jobs,
            executor=self._executor,
            progress=self._towards(max(last, expected) * each),
            folder=journal.ledger if journal else None,
        ):
            if journal is not None:
                journal.keep(chunk, outcome)
            self._add(chunk.engine, chunk.first, outcome.tallies)

    def _towards(self, total: int) -> Progress | None:
        progress = self._progress
        return progress and (lambda done, _: progress(done, total))

    def _missing(self, engine: EngineName, first: int, last: int) -> Iterator[Chunk]:
        """What is not in the journal, in chunks."""
        scenario, policies = self.scenario, self._teams[engine]
        size = chunk_size(scenario, engine, len(policies), last - first)
        for gap in list(gaps(self._recalled(engine, first, last), first, last - 1)):
            for place in range(gap.first, gap.last + 1, size):
                here = range(place, min(place + size, gap.last + 1))
                recorded = self._journal is not None and any(map(scenario.records, here))
                yield Chunk(engine, scenario, policies, place, len(here), self.points, recorded)

    def _recalled(self, engine: EngineName, first: int, last: int) -> Iterator[Stretch]:
        """What is in the journal, taken in."""
        if self._journal is not None:
            for stretch, tallies in self._journal.recall(engine, first, last - 1):
                self._add(engine, stretch.first, tallies)
                yield stretch

    def _add(self, engine: EngineName, first: int, tallies: list[Tally]) -> None:
        for choice, tally in zip(self._teams[engine], tallies, strict=True):
            self.runs[choice.label].add(first, tally)
