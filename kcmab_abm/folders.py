"""Results, folders and single files: written whole or not at all."""

from __future__ import annotations

import json
import os
import platform
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from kcmab_abm.errors import MarketError, OutputError

MANIFEST = "manifest.json"
WANTED = "give a folder that 'kcmab run FILE --out DIR' wrote"
WORK = ("chunks", "ledger")  # what a run needs to go on
_LOCK = ".lock"
_KINDS = {"scenario": dict, "seed": int, "digest": str}  # what every manifest of a run has

Tell = Callable[[str], None]
_LIBRARIES = ["kcmab-abm", "networkx", "numba", "numpy", "pandas", "scipy", "simpy"]


class InUse(OutputError):
    """A folder that another run is writing to."""


def silent(message: str) -> None:
    """Tell nobody."""


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


def check_file(file: Path, force: bool) -> None:
    """Refuse a file that cannot or must not be written, before any work is done for it."""
    with _explained(file):
        if file.is_symlink() or (file.exists() and not file.is_file()):
            raise OutputError(f"{file}: exists and is not a file; give another name")
        if file.exists() and not force:
            raise OutputError(f"{file}: exists; give another name, or --force to replace it")
        _stage(file).rmdir()


@contextmanager
def new_file(file: Path, force: bool = False) -> Iterator[Path]:
    """A file to write, moved to its place when all is there and gone if anything fails."""
    check_file(file, force)
    with _explained(file):
        stage = _stage(file)
        try:
            yield stage / file.name
            file.parent.mkdir(parents=True, exist_ok=True)
            (stage / file.name).replace(file)
        finally:
            shutil.rmtree(stage, ignore_errors=True)


@contextmanager
def lasting_folder(
    folder: Path, force: bool = False, resume: bool = False, tell: Tell = silent
) -> Iterator[Path]:
    """A folder to write into, moved to its place when all is there, and kept if anything fails.

    It is `FOLDER.partial` until then. With `resume` it begins with what was left there, or else
    with what the finished folder holds; one in which no work was kept does not stay.
    """
    check_run_folder(folder, force, resume)
    partial = _partial(folder)
    new = [parent for parent in partial.parents if not parent.exists()]
    with _explained(folder):
        try:
            with _locked(partial):
                if not resume:
                    _empty(partial)
                elif folder.exists() and not any(_kept(partial)):
                    _empty(partial)
                    _link(folder, partial)
                yield partial
            _move(partial, folder)
        except InUse:  # what is there belongs to somebody else
            raise
        except BaseException:
            if any(not (folder / path.relative_to(partial)).exists() for path in _kept(partial)):
                tell(f"{partial}: keeps what was finished; go on with --resume")
            else:
                shutil.rmtree(partial, ignore_errors=True)
                with suppress(OSError):
                    for parent in new:
                        parent.rmdir()
            raise


def check_run_folder(folder: Path, force: bool, resume: bool) -> None:
    """Refuse a folder that cannot or must not be written, or in which a run is unfinished."""
    if force and resume:
        raise OutputError(f"{folder}: --force begins again and --resume goes on; give one of them")
    check_folder(folder, force or resume)
    partial = _partial(folder)
    if not _is_of_a_run(partial):
        raise OutputError(
            f"{partial}: exists and does not hold an unfinished run, so that {folder} cannot be "
            "made by way of it; move it, or give another name"
        )
    if not (force or resume) and any(_kept(partial)):
        raise OutputError(
            f"{partial}: holds an unfinished run; --resume to go on with it, --force to begin "
            "again, or give another name"
        )


def _partial(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.partial")


def _is_of_a_run(partial: Path) -> bool:
    """Whether a folder is there for a run to use: left by one, or empty, or none at all."""
    if partial.is_symlink() or (partial.exists() and not partial.is_dir()):
        return False
    names = {path.name for path in partial.iterdir()} if partial.exists() else set()
    return WORK[0] in names or names <= {_LOCK}


def _kept(partial: Path) -> Iterator[Path]:
    """The finished work in a folder."""
    return (partial / WORK[0]).rglob("*.npz")


def _empty(partial: Path) -> None:
    for path in partial.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != _LOCK:
            path.unlink()


def _link(old: Path, new: Path) -> None:
    """Let the new folder have the work of the old one; it takes no room if the disk can share it.

    Chunks come last, so that whatever they vouch for is there.
    """
    for name in reversed(WORK):
        if (old / name).is_dir():
            shutil.copytree(old / name, new / name, copy_function=_link_file)


def _link_file(old: str, new: str) -> None:
    try:
        os.link(old, new)
    except OSError:
        shutil.copy2(old, new)


@contextmanager
def _locked(partial: Path) -> Iterator[None]:
    """Keep other runs out of the folder; the system lets go if this one is killed."""
    partial.mkdir(parents=True, exist_ok=True)
    lock = FileLock(partial / _LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise InUse(
            f"{partial}: another run is writing to it; wait for it, or give another name"
        ) from None
    try:
        yield
    finally:
        lock.release()
        (partial / _LOCK).unlink(missing_ok=True)


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


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a folder of results says of itself; a `MarketError` says why there is nothing."""
    path = folder / MANIFEST
    if not path.exists():
        raise MarketError(f"{folder}: has no {MANIFEST}; {WANTED}")
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise MarketError(f"{path}: cannot be read: {error.strerror or error}; {WANTED}") from error
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:100]
        raise MarketError(f"{path}: damaged: not JSON: {reason}; run it again") from error
    if not isinstance(content, dict) or any(
        not isinstance(content.get(key), kind) for key, kind in _KINDS.items()
    ):
        raise MarketError(f"{path}: damaged: must be a table with {', '.join(_KINDS)}; {WANTED}")
    return content


def versions() -> dict[str, str]:
    """What the numbers were made with."""
    libraries = {library: version(library) for library in _LIBRARIES}
    return {"python": platform.python_version(), **libraries}
