"""Folders of results: written whole or not at all."""

from __future__ import annotations

import json
import os
import platform
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kcmab_abm.errors import OutputError

MANIFEST = "manifest.json"
_LIBRARIES = ["kcmab-abm", "networkx", "numba", "numpy", "pandas", "scipy", "simpy"]


def check_folder(folder: Path, force: bool) -> None:
    """Refuse a folder that cannot or must not be written, before any work is done for it."""
    if not folder.name:
        raise OutputError(f"{folder}: not a folder that can be made; give a new name")
    with _explained(folder):
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
    """A folder to write into, moved to its place when all is there and gone if anything fails.

    With `force`, results that are in that place already are replaced in the same way.
    """
    check_folder(folder, force)
    with _explained(folder):
        stage = _stage(folder)
        try:
            yield stage
            _move(stage, folder)
        finally:
            shutil.rmtree(stage, ignore_errors=True)


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Say in one line what keeps the folder from being written."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{folder}: cannot be written: {reason}; give another name") from error


def _stage(folder: Path) -> Path:
    """A new folder near the one wanted: on the same disk, so that moving it there is one step."""
    nearest = next(parent for parent in folder.absolute().parents if os.path.lexists(parent))
    stage = nearest / f".kcmab-{secrets.token_hex(8)}.partial"
    stage.mkdir()
    return stage


def _move(stage: Path, folder: Path) -> None:
    """Put the new folder in the place of the old one; the old one comes back if that fails."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not folder.exists():
        stage.rename(folder)
        return
    aside = _stage(folder)
    try:
        folder.rename(aside / "old")
        stage.rename(folder)
    except BaseException:  # Ctrl-C between the two steps as well
        if not folder.exists():
            (aside / "old").rename(folder)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file that people can read too."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def versions() -> dict[str, str]:
    """What the numbers were made with."""
    libraries = {library: version(library) for library in _LIBRARIES}
    return {"python": platform.python_version(), **libraries}
