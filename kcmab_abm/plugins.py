"""The user's own Python files, run as modules that other processes can have too.

What a file defines is sent to another process by the name of its module, which that process does
not know. So whatever is sent carries the files ahead of it.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from kcmab_abm.errors import MarketError


class Plugin(NamedTuple):
    """One of the user's files: the module that it becomes, where it was, what is in it."""

    module: str
    path: str
    source: bytes

    def run(self) -> None:
        """Run the file as a module that stays; what goes wrong in it is told in one line."""
        module = ModuleType(self.module)
        module.__file__ = self.path
        sys.modules[self.module] = module
        try:
            exec(compile(self.source, self.path, "exec"), module.__dict__)
        except (Exception, SystemExit) as error:
            raise MarketError(f"{self.path}: {_failure(self.path, error)}") from error
        _known[self.module] = self.source


class Plugins(tuple[Plugin, ...]):
    """Files that are run in whatever process this is unpickled in, unless they have been."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Callable[..., Plugins], tuple[tuple[Plugin, ...]]]:
        return _restore, (tuple(self),)


_known: dict[str, bytes] = {}  # by module: the source that was run
_current = Plugins()


def bring(paths: Iterable[str]) -> None:
    """Run these files, in the place of those that were brought before.

    Their modules are named by their order and not by their paths: kernels on disk refer to them.
    """
    global _current
    _current = Plugins()
    for place, path in enumerate(paths, start=1):
        if not Path(path).is_file():
            raise MarketError(f"{path}: no such file; --with wants a Python file")
        plugin = Plugin(f"kcmab_with_{place}", path, Path(path).read_bytes())
        plugin.run()
        _current = Plugins((*_current, plugin))


def current() -> Plugins:
    """The files that were brought."""
    return _current


def _restore(plugins: tuple[Plugin, ...]) -> Plugins:
    for plugin in plugins:
        if _known.get(plugin.module) != plugin.source:
            plugin.run()
    return Plugins(plugins)


def _failure(path: str, error: BaseException) -> str:
    """Where in the user's file it went wrong, and how, on one line."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return f"line {error.lineno}: {error.msg}"
    steps = traceback.extract_tb(error.__traceback__)
    lines = [step.lineno for step in steps if step.filename == path]
    kind = "" if isinstance(error, MarketError) else f"{type(error).__name__}: "
    place = f"line {lines[-1]}: " if lines else ""
    return place + kind + " ".join(str(error).split())
