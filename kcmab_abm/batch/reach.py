"""The functions that a function calls, and the digest that names its machine code."""

from __future__ import annotations

import types
from typing import Any

from kcmab_abm.catalogue.entries import is_own
from kcmab_abm.catalogue.identity.bytecode import MISSING, cells_of, outside
from kcmab_abm.catalogue.identity.fingerprint import Opaque, fingerprint
from kcmab_abm.catalogue.identity.libraries import library

__all__ = ["Opaque", "digest", "fresh", "reachable"]


def reachable(function: types.FunctionType) -> list[types.FunctionType]:
    """The function and all plain functions it refers to, directly or through others."""
    found: list[types.FunctionType] = []
    todo = [function]
    while todo:
        here = todo.pop()
        if here in found:
            continue
        found.append(here)
        values = [each.value for each in outside(here)]
        todo += [
            each
            for each in values
            if isinstance(each, types.FunctionType) and not library(each.__module__)
        ]
    return found


def digest(function: types.FunctionType) -> str:
    """A digest of a function, of all that it calls, and of the modules they were written in.

    The modules count only here, because machine code on disk refers to them by name.
    """
    return fingerprint(function, with_places=True)


def fresh(function: Any) -> Any:
    """A copy of a function with copies of all functions it calls.

    Numba compiles a function object once; its globals may have changed since, as when a notebook's
    cell is run again.
    """
    copies: dict[Any, Any] = {
        each: _copy(each) for each in reachable(function) if not is_own(each.__module__)
    }
    for copy in list(copies.values()):
        _copy_modules({**copy.__globals__, **cells_of(copy)}, copies)
    for copy in list(copies.values()):
        _replace(copy.__globals__ if isinstance(copy, types.FunctionType) else vars(copy), copies)
        if isinstance(copy, types.FunctionType):
            for cell, value in zip(copy.__closure__ or (), cells_of(copy).values(), strict=True):
                if _is_in(value, copies):
                    cell.cell_contents = copies[value]
    return copies.get(function, function)


def _copy_modules(scope: dict[str, Any], copies: dict[Any, Any]) -> None:
    """Copy the user's modules that a scope refers to, recursively."""
    for value in list(scope.values()):
        if isinstance(value, types.ModuleType) and value not in copies:
            if library(value.__name__) or is_own(value.__name__):
                continue
            copies[value] = types.ModuleType(value.__name__)
            vars(copies[value]).update(vars(value))
            _copy_modules(vars(value), copies)


def _replace(scope: dict[str, Any], copies: dict[Any, Any]) -> None:
    for name, value in list(scope.items()):
        if _is_in(value, copies):
            scope[name] = copies[value]


def _is_in(value: Any, copies: dict[Any, Any]) -> bool:
    return isinstance(value, types.FunctionType | types.ModuleType) and value in copies


def _copy(function: types.FunctionType) -> types.FunctionType:
    cells = tuple(
        types.CellType() if value is MISSING else types.CellType(value)
        for value in cells_of(function).values()
    )
    copy = types.FunctionType(
        function.__code__,
        dict(function.__globals__),
        function.__name__,
        function.__defaults__,
        cells or None,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__qualname__ = function.__qualname__
    copy.__module__ = function.__module__
    return copy
