"""Chunk files: the tally of some replications of one policy.

A chunk also records its run, point, engine, policy and replications, and the digests of its
ledgers. Its name states the engine, the policy's place in the scenario and the replications, and
ends in a digest of the content, so that damaged, renamed and foreign chunks are recognised.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kcmab_abm.model.trajectory import Tally, part_of
from kcmab_abm.running.durable_files import digest_of

_NAME = re.compile(r"(?P<team>[a-z]+-\d{3,})-(?P<first>\d{8})-(?P<last>\d{8})-\w{16}\.npz")


class ChunkError(ValueError):
    """A chunk that is damaged or belongs elsewhere."""


class Stretch(NamedTuple):
    """Replications `first` to `last`, inclusive."""

    first: int
    last: int


@dataclass(frozen=True)
class About:
    """The origin of a chunk.

    `run` is the digest of the run's identity, `point` the point of a sweep and `place` the policy's
    place in the scenario, both counted from 1.
    """

    run: str
    point: int | None
    engine: str
    place: int
    policy: str
    first: int
    last: int

    @property
    def team(self) -> str:
        """The prefix of the names of a policy's chunks."""
        return f"{self.engine}-{self.place:03d}"


def chunk_file(about: About, ledgers: dict[str, str], tally: Tally) -> tuple[str, bytes]:
    """Return the name and the content of a chunk; `ledgers` holds digests by name."""
    arrays: dict[str, Any] = tally._asdict()
    file = io.BytesIO()
    np.savez(file, about=json.dumps({**asdict(about), "ledgers": ledgers}), **arrays)
    content = file.getvalue()
    return _name(about.team, about.first, about.last, content), content


def read_chunk(name: str, content: bytes) -> tuple[About, dict[str, str], Tally]:
    """Return the origin, the digests of the ledgers and the tally; or raise a `ChunkError`."""
    found = promised(name)
    if found is None or name != _name(found[0], *found[1], content):
        raise ChunkError("damaged")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        if "about" not in arrays.files:
            raise ChunkError("written by an earlier version")
        told = json.loads(str(arrays["about"]))
        ledgers = told.pop("ledgers")
        about = About(**told)
        tally = Tally(*(arrays[field] for field in Tally._fields))
    if (about.team, Stretch(about.first, about.last)) != found:
        raise ChunkError("renamed")
    return about, ledgers, tally


def promised(name: str) -> tuple[str, Stretch] | None:
    """Return the policy and replications that a name states; None if it is no chunk's name."""
    found = _NAME.fullmatch(name)
    return found and (found["team"], Stretch(int(found["first"]), int(found["last"])))


def chunks_of(folder: Path, team: str) -> dict[Stretch, Path]:
    """Return the chunks of a policy in a folder by the replications in their names, sorted."""
    paths = sorted(folder.glob(f"{team}-*.npz"))
    return {found[1]: path for path in paths if (found := promised(path.name)) is not None}


def without_overlap(
    chunks: Iterable[Stretch], read: Callable[[Stretch], Tally | None], first: int, last: int
) -> Iterator[tuple[Stretch, Tally]]:
    """Yield replications `first` to `last` from readable chunks, each once, in order."""
    for stretch in chunks:
        begin, end = max(first, stretch.first), min(last, stretch.last)
        tally = read(stretch) if begin <= end else None
        if tally is not None:
            yield (
                Stretch(begin, end),
                part_of(tally, begin - stretch.first, end - stretch.first + 1),
            )
            first = end + 1


def gaps(kept: Iterable[Stretch], first: int, last: int) -> Iterator[Stretch]:
    """Yield those of the replications `first` to `last` that are missing.

    >>> list(gaps([Stretch(2, 3)], 0, 5))
    [Stretch(first=0, last=1), Stretch(first=4, last=5)]
    """
    for stretch in kept:
        if stretch.first > first:
            yield Stretch(first, stretch.first - 1)
        first = stretch.last + 1
    if first <= last:
        yield Stretch(first, last)


def _name(team: str, first: int, last: int, content: bytes) -> str:
    return f"{team}-{first:08d}-{last:08d}-{digest_of(content)[:16]}.npz"
