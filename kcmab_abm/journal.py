"""Finished chunks on disk, so that a run which was killed goes on where it stopped.

A chunk is written under another name first and renamed when it is whole. Its name ends in a digest
of its content, and it holds the digests of the ledgers that belong to it: whatever does not fit is
not trusted but run again. What a run is made of (settings, functions, versions) is written down
beside the chunks, and a run made of anything else is refused.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from kcmab_abm.batch.reach import Opaque, digest
from kcmab_abm.entries import Entry
from kcmab_abm.errors import OutputError
from kcmab_abm.folders import WORK, Tell, silent, versions
from kcmab_abm.ledger import ledger_name
from kcmab_abm.points import written
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Tally, part_of
from kcmab_abm.workers import Chunk, EngineName, Outcome

CHUNKS, LEDGER = WORK
IDENTITY = "run.json"
DECISIVE = ("python", "kcmab-abm", "numba", "numpy", "scipy")  # versions on which bits may depend
_NAME = re.compile(r"(?P<engine>[a-z]+)-(?P<first>\d{8})-(?P<last>\d{8})-(?P<digest>\w{16})\.npz")
_FREE = ("title", "replications", "precision")  # settings that a run may go on with changed
_PARTIAL = ".partial"
_LONGEST = 60


class Stretch(NamedTuple):
    """Replications `first` to `last`, both of them included."""

    first: int
    last: int


class Journal:
    """What is done of a run, in a folder of its own."""

    def __init__(self, folder: Path, tell: Tell = silent, point: int | None = None) -> None:
        self._folder = folder
        self._tell = tell
        self._engines: dict[str, EngineName] = {}
        self._chunks = folder / CHUNKS / ("" if point is None else f"point-{point:05d}")
        self.ledger = folder / LEDGER / ("" if point is None else f"point={point}")

    def at(self, point: int) -> Journal:
        """The journal of a point of a sweep, points counted from 1."""
        return Journal(self._folder, self._tell, point)

    def open(self, scenario: Scenario, engines: dict[str, EngineName]) -> None:
        """Begin, or go on with what is there; an `OutputError` says why that is impossible."""
        self._engines = engines
        mine = _identity(scenario, engines)
        path = self._chunks / IDENTITY
        theirs = self._read_identity(path)
        if theirs is None:
            shutil.rmtree(self._chunks, ignore_errors=True)
            self._chunks.mkdir(parents=True)
            _write(path, json.dumps(mine, indent=2, ensure_ascii=False).encode())
        elif theirs != mine:
            raise OutputError(
                f"{self._folder}: was begun with {_difference(theirs, mine)}; run it as it was, "
                "or give --force to begin again"
            )
        self._sweep_out()

    def recall(
        self, engine: EngineName, first: int, last: int
    ) -> Iterator[tuple[Stretch, list[Tally]]]:
        """What is there of the replications `first` to `last`, checked, in order."""
        for stretch, path in self._files(engine).items():
            begin, end = max(first, stretch.first), min(last, stretch.last)
            tallies = self._read(path, stretch) if begin <= end else None
            if tallies is not None:
                here = begin - stretch.first, end - stretch.first + 1
                yield Stretch(begin, end), [part_of(tally, *here) for tally in tallies]
                first = end + 1

    def keep(self, chunk: Chunk, outcome: Outcome) -> None:
        """Write down what came of a chunk."""
        for name, lines in outcome.ledgers.items():
            _write(self.ledger / name, lines)
        names = [ledger_name(policy.label, chunk.first, chunk.count) for policy in chunk.policies]
        ledgers = {name: _file_digest(self.ledger / name) for name in names if chunk.is_recorded}
        arrays: dict[str, Any] = {
            f"{place}.{field}": array
            for place, tally in enumerate(outcome.tallies)
            for field, array in tally._asdict().items()
        }
        file = io.BytesIO()
        np.savez(file, ledgers=json.dumps(ledgers), **arrays)
        content = file.getvalue()
        name = f"{chunk.engine}-{chunk.first:08d}-{chunk.first + chunk.count - 1:08d}"
        _write(self._chunks / f"{name}-{hashlib.sha256(content).hexdigest()[:16]}.npz", content)

    def _files(self, engine: str) -> dict[Stretch, Path]:
        """The chunks of an engine, by what is in them, in order."""
        found = {}
        for path in sorted(self._chunks.glob(f"{engine}-*.npz")):
            name = _NAME.fullmatch(path.name)
            if name:
                found[Stretch(int(name["first"]), int(name["last"]))] = path
        return found

    def _read(self, path: Path, stretch: Stretch) -> list[Tally] | None:
        """The tallies in a chunk; if it or a ledger of it is damaged, both go."""
        content = path.read_bytes()
        if not path.stem.endswith(hashlib.sha256(content).hexdigest()[:16]):
            self._drop(path, path, stretch)
            return None
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            for name, digest in json.loads(str(arrays["ledgers"])).items():
                if _file_digest(self.ledger / name) != digest:
                    self._drop(path, self.ledger / name, stretch)
                    return None
            count = (len(arrays.files) - 1) // len(Tally._fields)
            return [
                Tally(*(arrays[f"{place}.{field}"] for field in Tally._fields))
                for place in range(count)
            ]

    def _drop(self, chunk: Path, damaged: Path, stretch: Stretch) -> None:
        self._tell(
            f"{damaged}: damaged; replications {stretch.first} to {stretch.last} are run again"
        )
        chunk.unlink()
        self._sweep_out()

    def _read_identity(self, path: Path) -> Any:
        try:
            return json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError:
            self._tell(f"{path}: damaged; everything is run again")
            return None

    def _sweep_out(self) -> None:
        """Remove what was half-written, and ledgers that no finished chunk vouches for."""
        for path in self._chunks.glob(f"*{_PARTIAL}"):
            path.unlink()
        wanted = {
            ledger_name(label, stretch.first, stretch.last - stretch.first + 1)
            for label, engine in self._engines.items()
            for stretch in self._files(engine)
        }
        for path in self.ledger.glob("policy=*/*"):
            if f"{path.parent.name}/{path.name}" not in wanted:
                path.unlink()


def gaps(kept: Iterable[Stretch], first: int, last: int) -> Iterator[Stretch]:
    """What is missing of the replications `first` to `last`.

    >>> list(gaps([Stretch(2, 3)], 0, 5))
    [Stretch(first=0, last=1), Stretch(first=4, last=5)]
    """
    for stretch in kept:
        if stretch.first > first:
            yield Stretch(first, stretch.first - 1)
        first = stretch.last + 1
    if first <= last:
        yield Stretch(first, last)


def _write(path: Path, content: bytes) -> None:
    """A file that is there whole or not at all, even if the power fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + _PARTIAL)
    with partial.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _file_digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return ""


def _identity(scenario: Scenario, engines: dict[str, EngineName]) -> dict[str, Any]:
    """All that a trajectory depends on, as JSON has it."""
    market = scenario.market
    choices = [*scenario.policies, market.customers, market.offers.rule]
    content = {
        "settings": {word: v for word, v in scenario.settings.items() if word not in _FREE},
        "versions": {name: versions()[name] for name in DECISIVE},
        "engines": engines,
        "functions": {
            **{f"{each.entry.kind} {each.entry.name}": _code(each.entry) for each in choices},
            **{
                f"law {arm.law.name}": _digest_of([arm.law.reward, arm.law.move])
                for arm in market.arms
            },
        },
        "files": hashlib.sha256(_read_from_files(scenario)).hexdigest(),
    }
    identity: dict[str, Any] = json.loads(json.dumps(content))
    return identity


def _read_from_files(scenario: Scenario) -> bytes:
    """What the settings name but do not hold: arrival times, networks of customers."""
    market = scenario.market
    memory = market.customers.blank_memory(len(market.arms))
    return b"".join(array.tobytes() for array in [np.array(market.arrivals.times), *memory])


def _code(entry: Entry) -> str:
    functions = [entry.act, entry.learn, entry.report, *entry.memory.values()]
    inner = [_code(part) for part in entry.parts or ()]
    return " ".join([_digest_of(functions), *inner])


def _digest_of(functions: Iterable[Any]) -> str:
    try:
        parts = [digest(each) for each in functions if isinstance(each, FunctionType)]
    except Opaque:
        return "unknown"
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


def _difference(theirs: dict[str, Any], mine: dict[str, Any]) -> str:
    """The first thing that differs, in words."""
    for section in mine:
        old, new = theirs.get(section), mine[section]
        if old == new:
            continue
        if not isinstance(old, dict) or not isinstance(new, dict):
            return f"other {section}"
        word = next(key for key in {**old, **new} if old.get(key) != new.get(key))
        if section == "functions":
            return f"other code of {word}"
        return f"{word} = {_shown(old, word)} and not {_shown(new, word)}"
    return "other settings"


def _shown(settings: dict[str, Any], word: str) -> str:
    text = written(settings[word]) if word in settings else "nothing"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
