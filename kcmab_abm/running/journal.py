"""Finished chunks on disk, from which an interrupted run can be resumed.

The identity of the run (settings, functions, versions, arithmetic) is stored beside the chunks, and
a run with another identity is refused. Every chunk holds the digests of the identity and of its
ledgers; chunks that do not match are run again.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kcmab_abm.errors import OutputError
from kcmab_abm.model.trajectory import Tally
from kcmab_abm.results.results import EngineName
from kcmab_abm.running.chunk_files import (
    About,
    ChunkError,
    Stretch,
    chunk_file,
    chunks_of,
    read_chunk,
    without_overlap,
)
from kcmab_abm.running.durable_files import PARTIAL, digest_of, file_digest, write_file
from kcmab_abm.running.ledger import ledger_name
from kcmab_abm.running.manifest import SealError, seal, unseal
from kcmab_abm.running.options import Tell, silent
from kcmab_abm.running.resume import WORK
from kcmab_abm.running.run_identity import difference, run_digest, run_identity, unread_part
from kcmab_abm.running.workers import Chunk, Outcome
from kcmab_abm.scenario.scenario import Scenario

CHUNKS, LEDGER = WORK
IDENTITY = "run.json"


class Journal:
    """The finished work of a run; `digests` holds those of its intact files, by name."""

    def __init__(
        self,
        folder: Path,
        tell: Tell = silent,
        point: int | None = None,
        digests: dict[str, str] | None = None,
    ) -> None:
        self.digests = {} if digests is None else digests
        self._folder = folder
        self._tell = tell
        self._point = point
        self._run = ""
        self._engines: dict[str, EngineName] = {}
        self._chunks = folder / chunk_folder(point)
        self.ledger = folder / ledger_folder(point)

    def at(self, point: int | None) -> Journal:
        """Return the journal of a point of a sweep, counted from 1; None for a plain run."""
        return Journal(self._folder, self._tell, point, self.digests)

    def open(self, scenario: Scenario, engines: dict[str, EngineName]) -> None:
        """Start or resume a run; raise an `OutputError` if it cannot be resumed."""
        self._engines = engines
        mine = run_identity(scenario, engines)
        self._run = run_digest(mine)
        path = self._chunks / IDENTITY
        theirs = self._read_identity(path)
        unread = unread_part(mine)
        if theirs is None:
            if unread:  # chunks may stem from other code
                shutil.rmtree(self._chunks, ignore_errors=True)
            self._write(path, seal(mine))
        elif unread:
            raise OutputError(
                f"{self._folder}: cannot be resumed: {unread}, so it is unknown whether it has "
                "changed; avoid it, pass its content as a parameter, or give --force to start again"
            )
        elif theirs != mine:
            raise OutputError(
                f"{self._folder}: was started with {difference(theirs, mine)}; run it as before, "
                "or give --force to start again"
            )
        self._sweep_out()

    def recall(self, policy: str, first: int, last: int) -> Iterator[tuple[Stretch, Tally]]:
        """Yield the intact replications `first` to `last` of a policy, in order."""
        files = self._files(policy)
        return without_overlap(files, lambda at: self._read(files[at], policy, at), first, last)

    def keep(self, chunk: Chunk, outcome: Outcome) -> None:
        """Write the outcome of a chunk."""
        for name, lines in outcome.ledgers.items():
            write_file(self.ledger / name, lines)
        names = [ledger_name(chunk.policy, chunk.first, chunk.count)] * chunk.is_recorded
        ledgers = {name: file_digest(self.ledger / name, sync=True) for name in names}
        self._note_ledgers(ledgers)
        about = self._about(chunk.policy, Stretch(chunk.first, chunk.first + chunk.count - 1))
        name, content = chunk_file(about, ledgers, outcome.tally)
        self._write(self._chunks / name, content)

    def _about(self, policy: str, stretch: Stretch) -> About:
        place = [*self._engines].index(policy) + 1
        return About(self._run, self._point, self._engines[policy], place, policy, *stretch)

    def _files(self, policy: str) -> dict[Stretch, Path]:
        """Return the chunks of a policy by the replications in their names, sorted."""
        return chunks_of(self._chunks, self._about(policy, Stretch(0, 0)).team)

    def _read(self, path: Path, policy: str, stretch: Stretch) -> Tally | None:
        """Return the tally in a chunk; remove the chunk if it or a ledger of it is damaged."""
        content = path.read_bytes()
        try:
            about, ledgers, tally = read_chunk(path.name, content)
        except ChunkError as error:
            self._drop(path, f"{path}: {error}", stretch)
            return None
        if about != self._about(policy, stretch):
            self._drop(path, f"{path}: not of this run", stretch)
            return None
        for name, wanted in ledgers.items():
            file = self.ledger / name
            if not file.is_file() or file_digest(file) != wanted:
                self._drop(path, f"{file}: damaged", stretch)
                return None
        self._note(path, content)
        self._note_ledgers(ledgers)
        return tally

    def _drop(self, chunk: Path, problem: str, stretch: Stretch) -> None:
        self._tell(f"{problem}; replications {stretch.first} to {stretch.last} are run again")
        chunk.unlink()
        self._sweep_out()

    def _write(self, path: Path, content: bytes) -> None:
        write_file(path, content)
        self._note(path, content)

    def _note(self, path: Path, content: bytes) -> None:
        self.digests[path.relative_to(self._folder).as_posix()] = digest_of(content)

    def _note_ledgers(self, ledgers: dict[str, str]) -> None:
        place = self.ledger.relative_to(self._folder)
        self.digests |= {(place / name).as_posix(): each for name, each in ledgers.items()}

    def _read_identity(self, path: Path) -> Any:
        """Return the identity of the run, or None if it is missing or damaged."""
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            identity = unseal(content)
        except SealError as error:
            self._tell(f"{path}: {error}; chunks of other runs will be detected and run again")
            return None
        self._note(path, content)
        return identity

    def _sweep_out(self) -> None:
        """Remove partly written files, and ledgers without a finished chunk."""
        for path in self._chunks.glob(f"*{PARTIAL}"):
            path.unlink()
        wanted = {
            ledger_name(label, stretch.first, stretch.last - stretch.first + 1)
            for label in self._engines
            for stretch in self._files(label)
        }
        for path in self.ledger.glob("policy=*/*"):
            if f"{path.parent.name}/{path.name}" not in wanted:
                path.unlink()


def chunk_folder(point: int | None) -> str:
    """Return the folder of the chunks of a run or of a point of its sweep."""
    return CHUNKS if point is None else f"{CHUNKS}/point-{point:05d}"


def ledger_folder(point: int | None) -> str:
    """Return the folder of the ledgers of a run or of a point of its sweep."""
    return LEDGER if point is None else f"{LEDGER}/point={point}"
