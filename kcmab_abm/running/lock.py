"""A lock so that only one run at a time writes to a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from kcmab_abm.errors import OutputError

LOCK = ".lock"


class InUse(OutputError):
    """A folder to which another run is writing."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder; the system releases the lock if this process is killed."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise InUse(
            f"{folder}: another run is writing to it; wait until it ends, or give another name"
        ) from None
    try:
        yield
    finally:
        lock.release()
        (folder / LOCK).unlink(missing_ok=True)
