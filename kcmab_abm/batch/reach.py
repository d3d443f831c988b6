"""Which functions a function calls, and a digest of all it depends on."""

from __future__ import annotations

import hashlib
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

_LIBRARIES = {"numpy", "scipy", "numba", "math", "builtins", "operator"}


class Opaque(Exception):
    """A value whose content cannot be told, so that nothing built on it may be cached."""


def reachable(function: types.FunctionType) -> list[types.FunctionType]:
    """The function and all plain functions it refers to, directly or through others."""
    found: list[types.FunctionType] = []
    todo = [function]
    while todo:
        here = todo.pop()
        if here in found:
            continue
        found.append(here)
        todo.extend(
            value
            for _, value in references(here)
            if isinstance(value, types.FunctionType) and not _from_library(value)
        )
    return found


def digest(function: types.FunctionType) -> str:
    """A fingerprint of the function, of what it calls and of every constant they read."""
    summary = hashlib.sha256()
    for each in reachable(function):
        # The module counts: machine code on disk names the modules of the functions in it.
        place = (each.__module__, each.__qualname__)
        summary.update(repr((place, _code_parts(each.__code__))).encode())
        summary.update(repr(_content(each.__defaults__)).encode())
        for name, value in references(each):
            if not isinstance(value, types.FunctionType | types.ModuleType):
                summary.update(repr((name, _content(value))).encode())
    return summary.hexdigest()


def references(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The global names, module attributes and enclosing variables that a function reads."""
    names = sorted(_names(function.__code__))
    scope = function.__globals__
    for name in names:
        if name in scope:
            yield name, scope[name]
    for module in [scope[name] for name in names if isinstance(scope.get(name), types.ModuleType)]:
        if module.__name__.partition(".")[0] not in _LIBRARIES:
            yield from ((name, getattr(module, name)) for name in names if hasattr(module, name))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def _names(code: types.CodeType) -> set[str]:
    inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return set(code.co_names).union(*(_names(each) for each in inner))


def _code_parts(code: types.CodeType) -> tuple[Any, ...]:
    consts = tuple(
        _code_parts(const) if isinstance(const, types.CodeType) else repr(const)
        for const in code.co_consts
    )
    return code.co_code, consts, code.co_names, code.co_varnames, code.co_freevars


def _content(value: Any) -> Any:
    if hasattr(value, "py_func"):  # a function that the user compiled herself
        return digest(value.py_func)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, hashlib.sha256(value.tobytes()).hexdigest()
    if isinstance(value, type):
        return value.__module__, value.__qualname__, getattr(value, "_fields", ())
    if isinstance(value, tuple | list):
        return [_content(each) for each in value]
    if value is None or isinstance(value, int | float | complex | str | bytes | np.generic):
        return repr(value)
    if _from_library(value):
        return repr(getattr(value, "__name__", value))
    raise Opaque(repr(value))


def _from_library(value: Any) -> bool:
    module = getattr(value, "__module__", None) or type(value).__module__
    return module.partition(".")[0] in _LIBRARIES
