"""Resume an interrupted run.

A run writes into `FOLDER.partial` until it is complete. With `resume`, the next run starts from
what is left there, or from a finished folder; the journal checks that it is the same run.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kcmab_abm.errors import OutputError
from kcmab_abm.running.durable_files import file_digest
from kcmab_abm.running.lock import LOCK, InUse, locked
from kcmab_abm.running.options import Tell, silent
from kcmab_abm.running.results_folder import check_folder, explained, move

WORK = ("chunks", "ledger")  # what is needed to resume a run


@contextmanager
def lasting_folder(
    folder: Path, force: bool = False, resume: bool = False, tell: Tell = silent
) -> Iterator[Path]:
    """Yield `FOLDER.partial`, which is renamed to `FOLDER` at the end, and kept if anything fails.

    With `resume` it starts with the work left there, or else with that of the finished folder. It
    is removed after a failure if it holds no new work.
    """
    check_run_folder(folder, force, resume)
    partial = partial_of(folder)
    new = [parent for parent in partial.parents if not parent.exists()]
    with explained(folder):
        try:
            with locked(partial):
                if not (resume and any(_kept(partial))):
                    remove_all_but((), partial)
                    if resume and folder.exists():
                        _link(folder, partial)
                yield partial
            move(partial, folder)
        except InUse:  # the content belongs to another run
            raise
        except BaseException:
            if any(_is_new(path, folder / path.relative_to(partial)) for path in _kept(partial)):
                tell(f"{partial}: finished work is kept; resume it with --resume")
            else:
                shutil.rmtree(partial, ignore_errors=True)
                with suppress(OSError):
                    for parent in new:
                        parent.rmdir()
            raise


def check_run_folder(folder: Path, force: bool, resume: bool) -> None:
    """Refuse a folder that cannot or must not be written, or that has an unfinished run."""
    if force and resume:
        raise OutputError(f"{folder}: --force starts over and --resume continues; give one of them")
    check_folder(folder, force or resume)
    with explained(folder):
        _check_partial(partial_of(folder), folder, force or resume)


def _check_partial(partial: Path, folder: Path, wanted: bool) -> None:
    if not _is_of_a_run(partial):
        raise OutputError(
            f"{partial}: exists and does not hold an unfinished run, but is needed to create "
            f"{folder}; move it, or give another name"
        )
    if not wanted and any(_kept(partial)):
        raise OutputError(
            f"{partial}: holds an unfinished run; give --resume to continue it, --force to start "
            "again, or another name"
        )


def partial_of(folder: Path) -> Path:
    """Return the folder into which a run writes until it is complete."""
    return folder.with_name(f"{folder.name}.partial")


def _is_of_a_run(partial: Path) -> bool:
    """Return True if a run may use the folder: left by a run, empty, or missing."""
    if partial.is_symlink() or (partial.exists() and not partial.is_dir()):
        return False
    names = {path.name for path in partial.iterdir()} if partial.exists() else set()
    return WORK[0] in names or names <= {LOCK, *WORK}


def _kept(partial: Path) -> Iterator[Path]:
    """Return the chunks in a folder."""
    return (partial / WORK[0]).rglob("*.npz")


def _is_new(path: Path, old: Path) -> bool:
    """Return True unless a file is a link to an old one."""
    return not (old.exists() and old.samefile(path))


def remove_all_but(kept: tuple[str, ...], folder: Path) -> None:
    """Remove everything else from a folder, such as tables of an earlier attempt."""
    for path in folder.iterdir():
        if path.name in kept:
            continue
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != LOCK:
            path.unlink()


def _link(old: Path, new: Path) -> None:
    """Link or copy the work of the old folder; chunks last, as they vouch for the ledgers."""
    for name in reversed(WORK):
        if (old / name).is_dir():
            shutil.copytree(old / name, new / name, copy_function=_link_file)


def _link_file(old: str, new: str) -> None:
    try:
        os.link(old, new)
    except OSError:
        shutil.copy2(old, new)
        file_digest(Path(new), sync=True)
