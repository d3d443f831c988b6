"""Which functions a function calls, and a digest of all it depends on."""

from __future__ import annotations

import enum
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
    modules = []
    for name in names:
        if name in scope:
            yield name, scope[name]
            if isinstance(scope[name], types.ModuleType):
                modules.append(scope[name])
    seen: set[str] = set()
    while modules:
        module = modules.pop()
        if module.__name__ in seen or _from_library(module):
            continue
        seen.add(module.__name__)
        for name in names:
            if hasattr(module, name):
                value = getattr(module, name)
                yield name, value
                if isinstance(value, types.ModuleType):
                    modules.append(value)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def fresh(function: types.FunctionType) -> types.FunctionType:
    """A copy of a function with copies of all functions it calls by name.

    Numba compiles a function object once and for all; what a global name stands for may have
    changed since, as when a notebook's cell is run again.
    """
    originals = [each for each in reachable(function) if not _is_ours(each)]
    copies = {each: _copy(each) for each in originals}
    for copy in copies.values():
        for name, value in list(copy.__globals__.items()):
            if isinstance(value, types.FunctionType) and value in copies:
                copy.__globals__[name] = copies[value]
    return copies.get(function, function)


def _copy(function: types.FunctionType) -> types.FunctionType:
    scope = dict(function.__globals__)
    copy = types.FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__qualname__ = function.__qualname__
    copy.__module__ = function.__module__
    return copy


def _is_ours(function: types.FunctionType) -> bool:
    return function.__module__.partition(".")[0] == "kcmab_abm"


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
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return [(member.name, repr(member.value)) for member in value]
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
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in _LIBRARIES
    module = getattr(value, "__module__", None) or type(value).__module__
    return module.partition(".")[0] in _LIBRARIES
