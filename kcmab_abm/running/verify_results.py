"""Find everything in a folder of results that changed since it was written."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from kcmab_abm.errors import MarketError
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.results.statistics import Runs, joined_digest, runs_digest
from kcmab_abm.running.durable_files import PARTIAL, file_digest, files_below
from kcmab_abm.running.journal import CHUNKS, chunk_folder
from kcmab_abm.running.lock import LOCK
from kcmab_abm.running.manifest import (
    CHANGED,
    MANIFEST,
    WANTED,
    SealError,
    check_is_folder,
    parse,
    unseal,
)
from kcmab_abm.running.read_results import FINALS
from kcmab_abm.running.resume import WORK, partial_of
from kcmab_abm.running.verify_chunks import Digests, Problems, add_up, points_in, read_point
from kcmab_abm.scenario.reading import files_named


class Found(NamedTuple):
    """The number of files checked, the problems found, and whether the run is finished."""

    files: int
    problems: list[str]
    is_finished: bool


def check(folder: Path) -> Found:
    """Check every file in a folder of results.

    Parameters
    ----------
    folder : Path
        A folder that `run` wrote, or an unfinished run (`FOLDER.partial`).

    Returns
    -------
    Found
        The number of files and a line for every problem; none if nothing changed.

    Raises
    ------
    MarketError
        If the folder does not hold results or cannot be read.
    """
    check_is_folder(folder, _wanted(folder))
    is_finished = (folder / MANIFEST).exists()
    if not is_finished and not (folder / CHUNKS).is_dir():
        raise MarketError(f"{folder}: has no {MANIFEST}; {_wanted(folder)}")
    problems: Problems = {}
    try:
        files = [path for path in files_below(folder) if path.name != LOCK]

        @cache
        def digests(name: str) -> str:
            path = folder / name
            return file_digest(path) if path.is_file() else ""

        manifest: dict[str, Any] = {}
        if is_finished:
            manifest, told = _read_manifest(folder / MANIFEST, problems)
            _check_files(folder, files, told, digests, problems)
        elif folder.suffix != PARTIAL:
            problems[folder / MANIFEST] = "missing, so that nothing vouches for the tables"
        else:  # tables of a run that was stopped while it wrote them are written anew
            files = [path for path in files if path.relative_to(folder).parts[0] in WORK]
        _check_results(folder, manifest, digests, problems)
    except OSError as error:
        name = error.filename or folder
        raise MarketError(f"{name}: cannot be read: {error.strerror or error}; {WANTED}") from error
    lines = [f"{path}: {problems[path]}" for path in sorted(problems)]
    return Found(len(files), lines, is_finished)


def _wanted(folder: Path) -> str:
    if partial_of(folder).is_dir():
        return f"{partial_of(folder)} holds an unfinished run"
    return WANTED


def _read_manifest(path: Path, problems: Problems) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the manifest, empty if it was changed; and its content in either case."""
    text = path.read_bytes()
    told: dict[str, Any] = {}
    try:
        told = parse(text)
        return unseal(text), told
    except SealError as error:
        problems.setdefault(path, str(error))
        return {}, told


def _check_files(
    folder: Path,
    found: list[Path],
    manifest: Mapping[str, Any],
    digests: Digests,
    problems: Problems,
) -> None:
    """Compare the files with the manifest: missing, changed and unexpected ones."""
    files = manifest.get("files")
    if not isinstance(files, dict):
        return  # the manifest is damaged, which has been reported
    for name, wanted in files.items():
        if digests(name) != wanted:
            problems.setdefault(folder / name, CHANGED if digests(name) else "missing")
    known = {MANIFEST, *files, *files_named(manifest.get("scenario"))}  # copied for a replay
    for path in found:
        if path.relative_to(folder).as_posix() not in known:
            problems.setdefault(path, "unexpected: did not exist when the results were written")


def _check_results(
    folder: Path, manifest: Mapping[str, Any], digests: Digests, problems: Problems
) -> None:
    """Check that the chunks belong to this run and give its digest and final values."""
    wanted = dict(_points(manifest))
    measures = (*manifest.get("scenario", {}).get("measures", {}),)
    found: list[str] = []
    finals: list[pd.DataFrame] = []
    for point in dict.fromkeys([*wanted, *points_in(folder)]):
        kept = read_point(folder, point, digests, problems)
        if point in wanted:
            place = folder / chunk_folder(point)
            runs = add_up(kept, *wanted[point], place, problems, measures)
            if runs is not None:
                found.append(runs_digest(runs))
                finals.extend(_final_rows(runs))
    if not wanted or len(found) < len(wanted):
        return
    if (found[0] if None in wanted else joined_digest(found)) != manifest["digest"]:
        problems.setdefault(
            folder / MANIFEST, "its digest is not that of the replications in the chunks"
        )
    path = folder / FINALS
    if path in problems:
        return
    if not _read_finals(path, measures).equals(pd.concat(finals, ignore_index=True)):
        problems.setdefault(path, "its values are not those of the replications in the chunks")


def _points(manifest: Mapping[str, Any]) -> Iterator[tuple[int | None, tuple[Any, int]]]:
    """Yield the policies and the number of replications of every point of a sweep.

    A plain run has the single point None; the results of other commands have no points.
    """
    counts = manifest.get("replications")
    if isinstance(counts, list):
        for place, count in enumerate(counts):
            yield place + 1, (manifest["engines"][place], count)
    elif counts is not None:
        yield None, (manifest["engines"], counts)


def _final_rows(runs: Mapping[str, Runs]) -> Iterator[pd.DataFrame]:
    for label, each in runs.items():
        columns = {name: each.final(name) for name in each.columns}
        yield pd.DataFrame({"policy": label, "replication": range(len(each)), **columns})


def _read_finals(path: Path, measures: tuple[str, ...]) -> pd.DataFrame:
    content = io.BytesIO(path.read_bytes())
    table = pd.read_parquet(content, page_checksum_verification=True)
    return table[["policy", "replication", *CURVES, *measures]]
