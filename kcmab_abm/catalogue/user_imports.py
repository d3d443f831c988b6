"""Imports of modules that lie beside the user's own files.

They are found only while a file runs. A module with the name of one of Python's own or of an
installed package is refused when the file imports that name: which of the two is imported would
depend on what was imported before.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from kcmab_abm.errors import MarketError

_PACKAGE = __name__.partition(".")[0]


class Clash(MarketError):
    """A module beside a file has the name of another module."""


class Source(NamedTuple):
    """A module beside a file: its name, path and contents."""

    name: str
    path: str
    text: bytes


class Neighbours(MetaPathFinder):
    """Finds the modules beside a file, on this disk or among sources sent by another process."""

    def __init__(self) -> None:
        self._loaded: dict[str, Source] = {}
        self._sent: dict[str, Source] | None = None
        self._folder = Path()

    def begin(self, sent: Iterable[Source] | None = None) -> None:
        """Forget the modules of earlier files; use only those `sent`, if given."""
        for name in self._loaded:
            sys.modules.pop(name, None)
        self._loaded = {}
        self._sent = None if sent is None else {each.name: each for each in sent}

    def sources(self) -> tuple[Source, ...]:
        """The modules imported since `begin`."""
        return tuple(self._loaded.values())

    def files(self) -> list[str]:
        """The paths of these modules."""
        return [each.path for each in self._loaded.values()]

    @contextmanager
    def of(self, path: str, text: bytes) -> Iterator[None]:
        """Find the modules beside this file while the context is active."""
        self._folder = Path(path).parent
        sys.meta_path.insert(0, self)
        try:
            wanted = self._checked(path, text)
            yield
            for name in wanted:  # functions may import them after the context has ended
                with suppress(ModuleNotFoundError):
                    importlib.import_module(name)
        finally:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module, if it lies beside the file and is not found elsewhere."""
        source, top = self._source(name), self._source(name.partition(".")[0])
        if source is None or top is None or _other_place(top):
            return None
        is_package = Path(source.path).name == "__init__.py"
        self._loaded[name] = source
        spec = spec_from_loader(
            name, _Loader(self, source), origin=source.path, is_package=is_package
        )
        if spec is not None and is_package:
            spec.submodule_search_locations = [str(Path(source.path).parent)]
        return spec

    def check(self, source: Source) -> None:
        """Refuse a module whose imports are ambiguous."""
        self._checked(source.path, source.text)

    def _checked(self, path: str, text: bytes) -> list[str]:
        """The modules beside a file that it imports; raises `Clash` if one is ambiguous."""
        found = []
        for line, name in _imports(path, text):
            top = self._source(name.partition(".")[0])
            if top is None:
                continue
            known = self._loaded.get(top.name, top)
            other = known.path if known.path != top.path else _other_place(top)
            if other:
                raise Clash(
                    f"{path}: line {line}: {top.name!r} may be {top.path} or {other}; rename the "
                    "file beside, so that it is clear which one is meant"
                )
            found.append(name)
        return found

    def _source(self, name: str) -> Source | None:
        if self._sent is not None:
            return self._sent.get(name)
        if name.partition(".")[0] == _PACKAGE and (self._folder / _PACKAGE).is_dir():
            return None  # the file lies beside a clone: the package that runs it is meant
        base = self._folder.joinpath(*name.split("."))
        for path in (base.with_name(f"{base.name}.py"), base / "__init__.py"):
            if path.is_file():
                return Source(name, str(path), path.read_bytes())
        return None


class _Loader(Loader):
    """Runs a module from its source."""

    def __init__(self, neighbours: Neighbours, source: Source) -> None:
        self._neighbours = neighbours
        self._source = source

    def exec_module(self, module: ModuleType) -> None:
        """Run the module."""
        self._neighbours.check(self._source)
        module.__file__ = self._source.path
        exec(compile(self._source.text, self._source.path, "exec"), module.__dict__)


def _imports(path: str, text: bytes) -> Iterator[tuple[int, str]]:
    """The modules that a file imports anywhere, with line numbers."""
    try:
        tree = ast.parse(text, path)
    except (SyntaxError, ValueError):  # reported when the file is run
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.lineno, node.module
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"


def _other_place(own: Source) -> str:
    """Another place of a module with this name: in Python, in memory or in a package; or ''."""
    if own.name in sys.stdlib_module_names:
        return f"Python's own {own.name}"
    loaded = sys.modules.get(own.name)
    spec = getattr(loaded, "__spec__", None) if loaded else PathFinder.find_spec(own.name)
    if spec is None:
        return f"a module in memory, {own.name}" if loaded else ""
    folders = [Path(each) / "__init__.py" for each in spec.submodule_search_locations or ()]
    places = [*folders, *([Path(spec.origin)] if spec.has_location and spec.origin else [])]
    is_own = isinstance(spec.loader, _Loader) or Path(own.path).resolve() in [
        place.resolve() for place in places
    ]
    return "" if is_own else str(spec.origin or places[0])
