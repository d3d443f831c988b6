"""Write files so that they are complete or absent on disk, even after a power failure."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PARTIAL = ".partial"
_IS_WINDOWS = os.name == "nt"


def write_file(path: Path, content: bytes) -> None:
    """Write a file under a temporary name and rename it once it is on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + PARTIAL)
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of some bytes in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def file_digest(path: Path, sync: bool = False) -> str:
    """Return the SHA-256 of a file; with `sync`, flush the file to disk first."""
    if sync:
        _sync(path, os.O_RDWR if _IS_WINDOWS else os.O_RDONLY)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def files_below(folder: Path) -> Iterator[Path]:
    """Return all files in a folder and its subfolders, sorted."""
    return (path for path in sorted(folder.rglob("*")) if not path.is_dir())


def sync_folders(folder: Path) -> None:
    """Flush the entries of a folder and of its subfolders to disk."""
    for path in [*(each for each in folder.rglob("*") if each.is_dir()), folder]:
        sync_folder(path)


def sync_folder(folder: Path) -> None:
    """Flush the entries of a folder to disk; Windows does so by itself."""
    if not _IS_WINDOWS:
        _sync(folder, os.O_RDONLY)


def _sync(path: Path, access: int) -> None:
    number = os.open(path, access)
    try:
        os.fsync(number)
    finally:
        os.close(number)
