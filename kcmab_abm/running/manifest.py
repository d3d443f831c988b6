"""The manifest of a folder of results: digests of all its files and a checksum of its own text."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kcmab_abm.errors import MarketError
from kcmab_abm.running.durable_files import (
    digest_of,
    file_digest,
    files_below,
    sync_folders,
    write_file,
)
from kcmab_abm.running.lock import LOCK

MANIFEST = "manifest.json"
WANTED = "give a folder that 'kcmab run FILE --out DIR' wrote"
CHANGED = "changed since it was written"

_BLANK = "0" * 64  # stands for the checksum while it is computed
_KINDS = {"scenario": dict, "seed": int, "digest": str}  # in the manifest of every run
_LIBRARIES = ["kcmab-abm", "networkx", "numba", "numpy", "pandas", "scipy", "simpy"]


class SealError(ValueError):
    """A sealed text that changed since it was written."""


def versions() -> dict[str, str]:
    """Return the versions of Python and all libraries, and the digest of the arithmetic."""
    # Late, because it imports SciPy, and commands show their help without.
    from kcmab_abm.running.machine_arithmetic import arithmetic

    return {"python": platform.python_version(), **_libraries(), "arithmetic": arithmetic()}


@cache  # reading them takes longer than a small run
def _libraries() -> dict[str, str]:
    return {library: version(library) for library in _LIBRARIES}


def as_json(content: Any) -> bytes:
    """Encode as indented JSON."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()


def seal(content: Mapping[str, Any]) -> bytes:
    """Encode a table as JSON with the SHA-256 of this text, computed with zeros in its place."""
    rest = {word: value for word, value in content.items() if word != "checksum"}
    blank = as_json({**rest, "checksum": _BLANK})
    before, _, after = blank.rpartition(_BLANK.encode())
    return before + digest_of(blank).encode() + after


def unseal(text: bytes) -> dict[str, Any]:
    """Return the table in a sealed text; raise a `SealError` if the text was changed.

    >>> unseal(seal({"seed": 4}))
    {'seed': 4}
    >>> unseal(seal({"seed": 4}).replace(b"4", b"5", 1))
    Traceback (most recent call last):
    kcmab_abm.running.manifest.SealError: changed since it was written
    """
    content = parse(text)
    checksum = content.pop("checksum", None)
    if not isinstance(checksum, str):
        raise SealError("has no checksum: written by an earlier version, or changed since")
    blank = text.replace(checksum.encode(errors="replace"), _BLANK.encode())
    if digest_of(blank) != checksum:
        raise SealError(CHANGED)
    return content


def parse(text: bytes) -> dict[str, Any]:
    """Return the table in a text, sealed or not."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:100]
        raise SealError(f"damaged: not JSON: {reason}") from error
    if not isinstance(content, dict):
        raise SealError("damaged: not a table")
    return content


def write_manifest(
    folder: Path, content: Mapping[str, Any], known: Mapping[str, str] | None = None
) -> None:
    """Write the manifest of a complete folder, with the versions of all libraries; flush to disk.

    `known` holds the digests of files that are already on disk, by their names in the folder.
    """
    known = known or {}
    files = {}
    for path in files_below(folder):
        name = path.relative_to(folder).as_posix()
        if name not in (MANIFEST, LOCK):
            files[name] = known.get(name) or file_digest(path, sync=True)
    write_file(folder / MANIFEST, seal({**content, "versions": versions(), "files": files}))
    sync_folders(folder)


def check_is_folder(folder: Path, advice: str = WANTED) -> None:
    """Raise a `MarketError` unless the folder exists."""
    if not folder.is_dir():
        found = "is not a folder" if folder.exists() else "no such folder"
        raise MarketError(f"{folder}: {found}; {advice}")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a run; raise a `MarketError` if it is missing or changed."""
    path = folder / MANIFEST
    if not path.exists():
        raise MarketError(f"{folder}: has no {MANIFEST}; {WANTED}")
    text = _read(path)
    try:
        content = parse(text)
        if any(not isinstance(content.get(key), kind) for key, kind in _KINDS.items()):
            raise SealError(f"damaged: must be a table with {', '.join(_KINDS)}")
        return unseal(text)
    except SealError as error:
        raise MarketError(f"{path}: {error}; {advice(folder)}") from error


def read_checked(folder: Path, name: str, manifest: Mapping[str, Any]) -> bytes:
    """Return the content of a file; raise a `MarketError` if the manifest has another digest."""
    path = folder / name
    if not path.is_file():
        raise MarketError(f"{folder}: has no {name}; {WANTED}")
    content = _read(path)
    if manifest.get("files", {}).get(name) != digest_of(content):
        raise MarketError(f"{path}: {CHANGED}; {advice(folder)}")
    return content


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise MarketError(f"{path}: cannot be read: {error.strerror or error}; {WANTED}") from error


def advice(folder: Path) -> str:
    """Say what to do about a folder that was changed."""
    return (
        f"'kcmab verify {folder}' lists what differs; run it again, with --resume to keep what is "
        f"undamaged or --force to start again, or {WANTED}"
    )
