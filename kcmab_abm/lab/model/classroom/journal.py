"""The record of a class on disk, one event per line, from which a killed server goes on.

Every event is on the disk before anybody hears of it. A line that a power failure cut short was
never heard of, and is removed.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kcmab_abm.errors import MarketError, OutputError
from kcmab_abm.lab.model.classroom.classroom import Classroom
from kcmab_abm.lab.model.classroom.plan import Event, Plan

JOURNAL = "class.jsonl"
_VERSION = 1


class Journal:
    """The file that a class is recorded in, open for more."""

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            self._stream = file.open("ab")
        except OSError as error:
            raise _unwritable(file, error) from error

    def write(self, event: Event) -> None:
        """Add an event and flush it to disk."""
        line = json.dumps(event, ensure_ascii=False, allow_nan=False) + "\n"
        try:
            self._stream.write(line.encode())
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise _unwritable(self.file, error) from error

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _unwritable(file: Path, error: OSError) -> OutputError:
    reason = error.strerror or error
    return OutputError(f"{file}: the class cannot be recorded: {reason}; make room on the disk")


def open_class(
    folder: Path, plan: Callable[[], Plan], clock: Callable[[], float] = time.monotonic
) -> tuple[Classroom, Journal]:
    """Go on with the class of a folder, or begin the one that `plan` makes if there is none.

    Parameters
    ----------
    folder
        The folder of the class; made if it does not exist.
    plan
        Makes the plan of a new class.
    clock
        Seconds, for deadlines.

    Returns
    -------
    tuple of Classroom and Journal
        The class, which is recorded from now on, and its open file.
    """
    file = folder / JOURNAL
    if file.exists() and file.stat().st_size > 0:
        classroom = _restored(file, clock)
        journal = Journal(file)
    else:
        classroom = Classroom(plan(), clock)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(folder, error) from error
        journal = Journal(file)
        journal.write({"version": _VERSION, **classroom.plan.table()})
    classroom.record = journal.write
    return classroom, journal


def _restored(file: Path, clock: Callable[[], float]) -> Classroom:
    """The class that a file records."""
    lines = _whole_lines(file)
    try:
        first, *events = [json.loads(line) for line in lines]
        if first.pop("version") != _VERSION:
            raise MarketError(f"{file}: recorded by another version; use a new folder")
        classroom = Classroom(Plan.of(first), clock)
        for event in events:
            classroom.apply(event)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise MarketError(f"{file}: damaged ({error}); use a new folder") from error
    return classroom


def _whole_lines(file: Path) -> list[bytes]:
    """The lines of a file, without one that was cut short, which is removed from the file."""
    try:
        content = file.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            with file.open("r+b") as stream:
                stream.truncate(len(whole))
    except OSError as error:
        raise MarketError(f"{file}: cannot be read: {error.strerror or error}") from error
    return whole.splitlines()


def summary(classroom: Classroom) -> dict[str, Any]:
    """What a folder holds, in a few numbers, for a message when a class goes on."""
    served = [len(each) for each in classroom.stories]
    return {"students": len(classroom.roster), "activities": classroom.number, "served": served}
