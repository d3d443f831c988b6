"""Check the chunks and ledgers of a run, and recompute its results from the chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from kcmab_abm.model.trajectory import Tally
from kcmab_abm.results.statistics import Runs
from kcmab_abm.running.chunk_files import (
    About,
    ChunkError,
    Stretch,
    gaps,
    read_chunk,
    without_overlap,
)
from kcmab_abm.running.journal import CHUNKS, IDENTITY, chunk_folder, ledger_folder
from kcmab_abm.running.manifest import SealError, unseal
from kcmab_abm.running.run_identity import run_digest

Digests = Callable[[str], str]  # of a file by its name in the folder; '' if it is not there
Problems = dict[Path, str]  # the first problem of each file
Kept = dict[str, dict[Stretch, Tally]]  # by the policy's label


def points_in(folder: Path) -> Iterator[int | None]:
    """Yield the points of a sweep that have been started; None for a plain run."""
    chunks = folder / CHUNKS
    if _has_begun(chunks):
        yield None
    for path in sorted(chunks.glob("point-*")):
        number = path.name.removeprefix("point-")
        if number.isdecimal() and _has_begun(path):
            yield int(number)


def _has_begun(place: Path) -> bool:
    """Return True if there is anything to check; the folder of a killed run may be empty."""
    return (place / IDENTITY).exists() or any(place.glob("*.npz"))


def read_point(folder: Path, point: int | None, digests: Digests, problems: Problems) -> Kept:
    """Return the tallies in the intact chunks of a point."""
    place = folder / chunk_folder(point)
    identity = _read_identity(place / IDENTITY, problems)
    kept: Kept = {}
    for path in sorted(place.glob("*.npz")):
        try:
            about, ledgers, tally = read_chunk(path.name, path.read_bytes())
            _check_place(about, point, identity)
        except ChunkError as error:
            problems.setdefault(path, str(error))
            continue
        kept.setdefault(about.policy, {})[Stretch(about.first, about.last)] = tally
        for name, wanted in ledgers.items():
            file = f"{ledger_folder(point)}/{name}"
            if digests(file) != wanted:
                found = "not what its chunk says" if digests(file) else "missing"
                problems.setdefault(folder / file, found)
    return kept


def _read_identity(path: Path, problems: Problems) -> dict[str, Any] | None:
    if not path.is_file():
        problems.setdefault(path, "missing")
        return None
    try:
        return unseal(path.read_bytes())
    except SealError as error:
        problems.setdefault(path, str(error))
        return None


def _check_place(about: About, point: int | None, identity: dict[str, Any] | None) -> None:
    """Refuse a chunk of another run, or of another point of this one."""
    if about.point != point:
        raise ChunkError("of another point of the sweep")
    if identity is None:
        return
    engines = identity["engines"]
    team = [*engines.items()][about.place - 1 : about.place]
    if about.run != run_digest(identity) or team != [(about.policy, about.engine)]:
        raise ChunkError("of another run")


def add_up(
    kept: Kept,
    labels: Iterable[str],
    count: int,
    place: Path,
    problems: Problems,
    measures: tuple[str, ...] = (),
) -> dict[str, Runs] | None:
    """Return the first `count` replications of these policies; None if any is missing.

    `measures` are the scenario's own.
    """
    runs: dict[str, Runs] = {}
    for label in labels:
        found = kept.get(label, {})
        chunks = dict(without_overlap(sorted(found), found.get, 0, count - 1))
        lost = list(gaps(chunks, 0, count - 1))
        for gap in lost:
            problems.setdefault(
                place, f"replications {gap.first} to {gap.last} are missing ({label})"
            )
        if lost:
            return None
        for stretch, tally in chunks.items():
            if label not in runs:
                runs[label] = Runs(tally.curves.shape[1], tally.pulls.shape[1], measures)
                runs[label].grow(count)
            runs[label].add(stretch.first, tally)
    return runs
