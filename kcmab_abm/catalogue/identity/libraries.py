"""Modules that are identified by name and version: Python's own and installed packages."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from functools import cache
from pathlib import Path
from typing import Any

_OWN = __name__.partition(".")[0]
_INSTALLED = {"site-packages", "dist-packages"}


def library(module: object) -> str:
    """The package and version that a module belongs to; '' for code that must be read itself.

    >>> library("math")
    'python'
    >>> library("numpy.random").startswith("numpy ")
    True
    >>> library("kcmab_abm.model.book"), library("__main__"), library(None)
    ('', '', '')
    """
    top = module.partition(".")[0] if isinstance(module, str) else ""
    return _library(top)


@cache
def _library(top: str) -> str:
    if top in sys.stdlib_module_names:
        return "python"
    if top in ("", "__main__", _OWN):
        return ""
    place = _place(top)
    if place is None or not _INSTALLED.intersection(Path(place).parts):
        return ""
    version = _version(top)
    return f"{top} {version}" if version else ""


def importable(value: Any) -> tuple[str, str]:
    """The library module and the name under which this object is found in it, or '' for both."""
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    owner = getattr(value, "__objclass__", value)  # of a method of a class written in C
    places = [getattr(owner, "__module__", None)]
    if type(value).__module__ == "numpy" and type(value).__name__ == "ufunc":
        places = ["numpy", "scipy.special"]  # ufuncs do not name their module
    for place in places:
        if isinstance(name, str) and library(place) and _found(str(place), name) is value:
            return str(place), name
    return "", ""


def _found(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _place(top: str) -> str | None:
    """The folder or file of a top-level module, imported or not."""
    loaded = sys.modules.get(top)
    try:
        spec = getattr(loaded, "__spec__", None) if loaded else importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    folders = list(getattr(spec, "submodule_search_locations", None) or ())
    return folders[0] if folders else getattr(spec, "origin", None)


def _version(top: str) -> str:
    try:
        return importlib.metadata.version(top)
    except importlib.metadata.PackageNotFoundError:
        named = importlib.metadata.packages_distributions().get(top)
        return importlib.metadata.version(named[0]) if named else ""
