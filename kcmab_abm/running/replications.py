"""The replications of a scenario: those in the journal and those still to run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path

from kcmab_abm.errors import MarketError
from kcmab_abm.results.results import EngineName
from kcmab_abm.results.statistics import Runs, checkpoints
from kcmab_abm.running.chunk_files import Stretch, gaps
from kcmab_abm.running.journal import Journal
from kcmab_abm.running.options import Progress
from kcmab_abm.running.workers import Chunk, Outcome, Pace, chunk_size, pack_scenario
from kcmab_abm.scenario.precision import Watch
from kcmab_abm.scenario.scenario import Scenario


class Meter:
    """Counts the customers served and reports progress."""

    def __init__(self, total: int, progress: Progress | None = None) -> None:
        self._total = total
        self._done = 0
        self._shown = 0
        self._progress = progress

    def add(self, customers: int) -> None:
        """Add customers that have been served."""
        self._done += customers
        self.show(0)

    def expect(self, more: int) -> None:
        """Correct the expected total number of customers."""
        self._total += more

    def show(self, under_way: int) -> None:
        """Report the customers served, including those of chunks under way."""
        if self._progress is not None:
            self._shown = max(self._shown, self._done + under_way)
            self._progress(min(self._shown, self._total), self._total)


class Replications:
    """The replications of a scenario, aggregated per policy as they finish.

    Error messages begin with the `name` of the scenario, if it has one.
    """

    def __init__(
        self,
        scenario: Scenario,
        engines: dict[str, EngineName],
        *,
        meter: Meter,
        journal: Journal | None = None,
        watch: Watch | None = None,
        pace: Pace | None = None,
        name: str = "",
    ) -> None:
        self.scenario = scenario
        self.engines = engines
        self.points = checkpoints(scenario.horizon)
        arms = len(scenario.market.arms)
        measures = scenario.measures.names
        self.runs = {
            choice.label: Runs(len(self.points), arms, measures) for choice in scenario.policies
        }
        self._meter = meter
        self._expected = scenario.replications
        self._journal = journal
        self._watch = watch
        self._pace = Pace() if pace is None else pace
        self._name = name

    @property
    def folder(self) -> Path | None:
        """The folder of the ledgers, absolute because processes may have other working folders."""
        return None if self._journal is None else self._journal.ledger.absolute()

    @cached_property
    def parcel(self) -> bytes:
        """The scenario packed for other processes."""
        return pack_scenario(self.scenario)

    def stretches(self) -> Iterator[Iterator[Chunk]]:
        """Yield stretches of chunks to run; each must be complete before the next is asked for.

        If a precision is asked for, replications are added until all intervals are narrow enough
        or the ceiling is reached.
        """
        if self._journal is not None:
            self._journal.open(self.scenario, self.engines)
        last = self.scenario.replications
        yield self._missing(0, last)
        if self.scenario.precision is not None:
            for first, last, needed in self.scenario.precision.further(self.runs, self._watch):
                self._expect(max(last, needed))
                yield self._missing(first, last)
            self._expect(last)

    def take(self, chunk: Chunk, outcome: Outcome) -> None:
        """Add the outcome of a chunk."""
        if self._journal is not None:
            self._journal.keep(chunk, outcome)
        self.runs[chunk.policy].add(chunk.first, outcome.tally)
        self._pace.note(chunk, self.scenario, outcome.seconds)
        self._meter.add(chunk.count * self.scenario.horizon)

    def named(self) -> AbstractContextManager[None]:
        """Prefix errors with the name of the scenario."""
        return named(self._name)

    def _expect(self, replications: int) -> None:
        each = self.scenario.horizon * len(self.scenario.policies)
        self._meter.expect((replications - self._expected) * each)
        self._expected = replications

    def _missing(self, first: int, last: int) -> Iterator[Chunk]:
        """Yield chunks of those replications `first` to `last - 1` that the journal lacks."""
        for runs in self.runs.values():
            runs.grow(last)
        # Read the whole journal before running anything: reading removes ledgers without a chunk.
        missing = {
            label: list(gaps(self._recalled(label, first, last), first, last - 1))
            for label in self.runs
        }
        for label, found in missing.items():
            engine = self.engines[label]
            for gap in found:
                place = gap.first
                while place <= gap.last:
                    # Asked for every chunk, as those before it show how long they take.
                    pace = self._pace.of(engine, label)
                    size = chunk_size(self.scenario, engine, last - first, pace)
                    here = range(place, min(place + size, gap.last + 1))
                    yield Chunk(engine, label, place, len(here), self.points, self._records(here))
                    place = here.stop

    def _records(self, replications: range) -> bool:
        return self._journal is not None and any(map(self.scenario.records, replications))

    def _recalled(self, label: str, first: int, last: int) -> Iterator[Stretch]:
        """Add the replications in the journal."""
        if self._journal is not None:
            for stretch, tally in self._journal.recall(label, first, last - 1):
                self.runs[label].add(stretch.first, tally)
                self._meter.add((stretch.last - stretch.first + 1) * self.scenario.horizon)
                yield stretch


@contextmanager
def named(name: str) -> Iterator[None]:
    """Prefix errors with a name, unless it is empty."""
    try:
        yield
    except MarketError as error:
        if not name:
            raise
        raise type(error)(f"{name}: {error}") from error
