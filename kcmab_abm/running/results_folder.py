"""Write folders and files of results completely or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kcmab_abm.errors import OutputError
from kcmab_abm.running.durable_files import file_digest, sync_folder
from kcmab_abm.running.manifest import MANIFEST

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def check_folder(folder: Path, force: bool) -> None:
    """Refuse a folder that cannot or must not be written, before any work is done."""
    if not folder.name:
        raise OutputError(f"{folder}: cannot be created; give a new name")
    with explained(folder):
        _check_taken(folder, force)
        _stage(folder).rmdir()


def _check_taken(folder: Path, force: bool) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise OutputError(f"{folder}: exists and is not a folder; give another name")
    if not folder.exists():
        return
    if not force:
        raise OutputError(f"{folder}: exists; give another name, or --force to replace it")
    if any(folder.iterdir()) and not (folder / MANIFEST).exists():
        raise OutputError(
            f"{folder}: exists and does not hold results (no {MANIFEST}), so --force will not "
            "replace it; give another name"
        )


@contextmanager
def new_folder(folder: Path, force: bool = False) -> Iterator[Path]:
    """Yield a temporary folder, which is renamed at the end, or removed if anything fails.

    With `force`, existing results are replaced.
    """
    check_folder(folder, force)
    with _staged(folder) as stage:
        yield stage
        move(stage, folder)


def check_file(file: Path, force: bool) -> None:
    """Refuse a file that cannot or must not be written, before any work is done."""
    with explained(file):
        if file.is_symlink() or (file.exists() and not file.is_file()):
            raise OutputError(f"{file}: exists and is not a file; give another name")
        if file.exists() and not force:
            raise OutputError(f"{file}: exists; give another name, or --force to replace it")
        _stage(file).rmdir()


@contextmanager
def new_file(file: Path, force: bool = False) -> Iterator[Path]:
    """Yield a temporary file, which is renamed at the end, or removed if anything fails."""
    check_file(file, force)
    with _staged(file) as stage:
        yield stage / file.name
        file_digest(stage / file.name, sync=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        (stage / file.name).replace(file)
        sync_folder(file.parent)


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn errors of the operating system into one-line messages."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        reason = " ".join(str(error.strerror or error).split())
        remedy = "make room on the disk" if error.errno in _FULL else "give another name"
        raise OutputError(f"{folder}: cannot be written: {reason}; {remedy}") from error


@contextmanager
def _staged(place: Path) -> Iterator[Path]:
    """Yield a temporary folder near a place; remove it at the end."""
    with explained(place):
        stage = _stage(place)
        try:
            yield stage
        finally:
            shutil.rmtree(stage, ignore_errors=True)


def _stage(folder: Path) -> Path:
    """Create a temporary folder on the same disk as a folder, so that renaming is atomic."""
    nearest = next(parent for parent in folder.absolute().parents if os.path.lexists(parent))
    stage = nearest / f".kcmab-{secrets.token_hex(8)}.partial"
    stage.mkdir()
    return stage


def move(stage: Path, folder: Path) -> None:
    """Replace a folder by a new one; restore the old one if that fails."""
    new = [parent for parent in folder.parents if not parent.exists()]
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = _stage(folder) if folder.exists() else None
    try:
        if aside:
            folder.rename(aside / "old")
        stage.rename(folder)
        for each in [folder, *new]:
            sync_folder(each.parent)
    except BaseException:  # Ctrl-C between two steps as well
        if not stage.exists():
            folder.rename(stage)
        if aside and (aside / "old").exists():
            (aside / "old").rename(folder)
        raise
    finally:
        if aside:
            shutil.rmtree(aside, ignore_errors=True)
