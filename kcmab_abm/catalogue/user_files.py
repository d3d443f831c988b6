"""The user's own Python files, run as modules that can be sent to other processes.

What a file defines is sent to another process by the name of its module, which that process does
not know. So the files are sent first, with the modules beside them that they import.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from kcmab_abm.catalogue.user_imports import Clash, Neighbours, Source
from kcmab_abm.errors import MarketError


class Plugin(NamedTuple):
    """One of the user's files: its module name, path and contents."""

    module: str
    path: str
    source: bytes

    def run(self, neighbours: Neighbours) -> None:
        """Run the file as a module; an error in it is reported in one line."""
        module = ModuleType(self.module)
        module.__file__ = self.path
        sys.modules[self.module] = module
        try:
            with neighbours.of(self.path, self.source):
                exec(compile(self.source, self.path, "exec"), module.__dict__)
        except Clash:
            raise
        except (Exception, SystemExit) as error:
            raise MarketError(_failure(self.path, neighbours.files(), error)) from error


class Plugins(NamedTuple):
    """Files that are run in the process that unpickles this, unless they have been."""

    files: tuple[Plugin, ...] = ()
    neighbours: tuple[Source, ...] = ()

    def __reduce__(self) -> tuple[Callable[..., Plugins], tuple[object, ...]]:
        return _restore, (tuple(self.files), self.neighbours)


_neighbours = Neighbours()
_current = Plugins()


def bring(paths: Iterable[str]) -> None:
    """Run these files, replacing those run before.

    Their modules are named by position, not by path, because kernels on disk refer to them.
    """
    files = []
    for place, path in enumerate(paths, start=1):
        if not Path(path).is_file():
            raise MarketError(f"{path}: no such file; --with wants a Python file")
        files.append(Plugin(f"kcmab_with_{place}", path, Path(path).read_bytes()))
    _run(files, None)


def current() -> Plugins:
    """The files that have been run."""
    return _current


def _run(files: Iterable[Plugin], known: Iterable[Source] | None) -> None:
    """Run the files; the modules beside them are read from disk unless given as `known`."""
    global _current
    _current = Plugins()
    _neighbours.begin(known)
    done: list[Plugin] = []
    for file in files:
        file.run(_neighbours)
        done.append(file)
        _current = Plugins(tuple(done), _neighbours.sources())


def _restore(files: tuple[Plugin, ...], neighbours: tuple[Source, ...]) -> Plugins:
    wanted = Plugins(files, neighbours)
    if tuple(wanted) != tuple(_current):
        _run(files, neighbours)
    return wanted


def _failure(path: str, others: Iterable[str], error: BaseException) -> str:
    """The place of an error in the user's files and its message, on one line."""
    files = {path, *others}
    if isinstance(error, SyntaxError) and error.filename in files:
        return f"{error.filename}: line {error.lineno}: {error.msg}"
    steps = [step for step in traceback.extract_tb(error.__traceback__) if step.filename in files]
    kind = "" if isinstance(error, MarketError) else f"{type(error).__name__}: "
    place = f"{steps[-1].filename}: line {steps[-1].lineno}: " if steps else f"{path}: "
    return place + kind + " ".join(str(error).split())
