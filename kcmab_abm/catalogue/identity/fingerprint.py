"""A digest of what a function does and of every value that it reads.

Functions with the same digest do the same, also in different files, processes and modules.
Docstrings, comments, annotations, line numbers and the names of variables, functions and modules do
not count. Values are read as they are now: a helper that was replaced counts as its replacement, a
list that the function fills counts with its contents. A value that cannot be read completely (an
open file, a lock, a logger, the state of a generator) is `Opaque`: it has no digest, so it never
equals anything.
"""

from __future__ import annotations

import builtins
import enum
import functools
import hashlib
import inspect
import struct
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from kcmab_abm.catalogue.identity import plain
from kcmab_abm.catalogue.identity.bytecode import (
    MISSING,
    Constant,
    Outside,
    catches,
    cells_of,
    inner_cells,
    resolved,
)
from kcmab_abm.catalogue.identity.libraries import importable, library

_HIDDEN = {"eval", "exec", "globals", "locals", "vars", "open", "input", "__import__"}
_UNREAD = {"__doc__", "__name__", "__qualname__", "__module__", "__code__", "__globals__"}
_GENERATES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_SHAPE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | _GENERATES
_ATOMS: dict[type, Callable[[Any], object]] = {
    type(None): repr,
    type(...): repr,
    type(NotImplemented): repr,
    bool: repr,
    int: hex,
    float: lambda value: struct.pack("<d", value),
    complex: lambda value: struct.pack("<dd", value.real, value.imag),
    str: str,
    bytes: lambda value: hashlib.sha256(value).digest(),
}
_PARTS: dict[type, tuple[str, ...]] = {
    types.MethodType: ("__func__", "__self__"),
    functools.partial: ("func", "args", "keywords"),
    functools.cached_property: ("func",),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    property: ("fget", "fset", "fdel"),
}


class Opaque(Exception):
    """A value that cannot be read completely, and so has no digest."""


def fingerprint(value: Any, *, with_places: bool = False) -> str:
    """The digest of a value; raises `Opaque`, which names what cannot be read.

    `with_places` includes the modules of functions and classes, for machine code on disk, which
    refers to them.

    >>> def double(x): return sum([x for _ in range(2)])
    >>> def twice(x): return sum([x for unused in range(2)])
    >>> fingerprint(double) == fingerprint(twice)
    True
    >>> fingerprint({"b", "a"}) == fingerprint({"a", "b"}), fingerprint(1) == fingerprint(1.0)
    (True, False)
    """
    walk = _Walk(with_places, [])
    try:
        walk.read(value)
    except RecursionError:
        walk.give_up("values that are nested too deeply, or a set that contains itself")
    return walk.digest()


class _Walk:
    """A traversal of everything that a value refers to, hashed on the way."""

    def __init__(self, with_places: bool, trail: list[tuple[str, str]]) -> None:
        self._with_places = with_places
        self._trail = trail  # the functions being read, and the current name in each
        self._hash = hashlib.sha256()
        self._seen: dict[int, tuple[int, Any]] = {}  # keeps the values, or ids would be reused

    def digest(self) -> str:
        return self._hash.hexdigest()

    def _put(self, *parts: object) -> None:
        self._hash.update(repr(parts).encode())

    def give_up(self, what: str) -> None:
        function, name = self._trail[-1] if self._trail else ("", "")
        raise Opaque(
            (f"{function}() uses " if function else "") + (f"{name!r}, " if name else "") + what
        )

    def read(self, value: Any) -> None:
        kind = type(value)
        if kind in _ATOMS:
            self._put(kind.__name__, _ATOMS[kind](value))
        elif kind is tuple:
            self._put("tuple", len(value))
            self._read_all(value)
        elif kind in (set, frozenset):
            self._put(kind.__name__, sorted(map(self._apart, value)))
        elif not self._is_known(value):
            self._read_object(value, kind)

    def _read_all(self, values: Iterable[Any]) -> None:
        for each in values:
            self.read(each)

    def _read_named(self, values: Iterable[tuple[str, Any]]) -> None:
        """Read values whose order does not matter, sorted by name."""
        for name, value in sorted(values, key=lambda item: item[0]):
            self._put(name)
            self.read(value)

    def _apart(self, value: Any) -> str:
        """The digest of a value by itself, independent of what was read before."""
        walk = _Walk(self._with_places, self._trail)
        walk.read(value)
        return walk.digest()

    def _is_known(self, value: Any) -> bool:
        """Return True if this object was read before; then its number identifies it."""
        if type(value) in (*_PARTS, types.BuiltinFunctionType, np.dtype) or plain.is_constant(
            value
        ):
            return False  # created on every access, or interchangeable with any equal value
        if id(value) in self._seen:
            self._put("again", self._seen[id(value)][0])
            return True
        self._seen[id(value)] = len(self._seen), value
        return False

    def _read_object(self, value: Any, kind: type) -> None:
        if kind is list:
            self._put("list", len(value))
            self._read_all(value)
        elif kind is dict:  # in its order, which loops depend on
            self._put("dict", len(value))
            self._read_all(part for item in value.items() for part in item)
        elif kind is np.ndarray:
            self._read_array(value)
        elif isinstance(value, np.generic | np.dtype):
            self._read_number(value)
        elif any(importable(value)):
            self._put("library", *importable(value), library(importable(value)[0]))
        elif isinstance(value, types.ModuleType):
            self._read_module(value)
        elif isinstance(value, types.FunctionType):
            self._read_function(value)
        elif kind in _PARTS:
            self._put(kind.__name__)
            self._read_all(getattr(value, part) for part in _PARTS[kind])
        elif isinstance(value, type):
            self._read_class(value)
        else:
            self._read_instance(value, kind)

    def _read_array(self, value: Any) -> None:
        # Sums depend on the memory layout.
        self._put("array", repr(value.dtype), value.shape, value.strides, value.flags.writeable)
        if value.dtype == object:
            self._read_all(value.ravel().tolist())
        elif value.dtype.hasobject:
            self.give_up("an array of records with objects in them")
        else:
            self._put(hashlib.sha256(value.tobytes()).digest())

    def _read_number(self, value: Any) -> None:
        kind = value if isinstance(value, np.dtype) else value.dtype
        if kind.hasobject:
            self.give_up("a NumPy record with objects in it")
        self._put("number", repr(kind), b"" if kind is value else value.tobytes())

    def _read_module(self, value: types.ModuleType) -> None:
        if not library(value.__name__):
            self.give_up(
                f"the module {value.__name__} as a whole: its attributes must be written out, as "
                "in module.name"
            )
        self._put("module", value.__name__, library(value.__name__))

    def _read_function(self, value: types.FunctionType) -> None:
        self._trail.append((value.__name__, ""))
        self._put("function", *self._place(value))
        self.read(value.__defaults__)
        self._read_named((value.__kwdefaults__ or {}).items())
        self._read_named(item for item in vars(value).items() if item[0] != "__wrapped__")
        self._read_code(value.__code__, value.__globals__, cells_of(value))
        self._trail.pop()

    def _place(self, value: Any) -> tuple[str, ...]:
        return (value.__module__, value.__qualname__) if self._with_places else ()

    def _read_code(
        self, code: types.CodeType, scope: dict[str, Any], cells: dict[str, Any]
    ) -> None:
        counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
        named = sum(counts) - code.co_posonlyargcount
        self._put("code", counts, code.co_flags & _SHAPE, code.co_varnames[:named])
        self._put(catches(code))
        for instruction, argument in resolved(code, scope, cells):
            if isinstance(argument, Outside):
                self._put(instruction)
                self._trail.append((self._trail[-1][0], argument.name))
                self._read_outside(argument)
                self._trail.pop()
            elif isinstance(argument, Constant):
                self._put(instruction)
                self.read(argument.value)
            elif isinstance(argument, types.CodeType):
                self._put(instruction)
                self._read_code(argument, scope, inner_cells(code, cells))
            elif argument in _UNREAD and instruction.startswith("LOAD"):
                self.give_up(f"the attribute {argument}, which is no part of what code does")
            else:
                self._put(instruction, argument)

    def _read_outside(self, found: Outside) -> None:
        name, value, home, is_changed = found
        if is_changed:
            self.give_up("and changes it, so that what comes depends on what has been run before")
        if name in _HIDDEN and value is getattr(builtins, name):
            self.give_up("by which it can read what is not in its code")
        if value is MISSING and name.partition(".")[0] in ("", name) and not library(name):
            self._put("missing", name)
        elif value is MISSING:
            self._read_missing(name)
        elif home is not None and plain.is_fixed(value, home):
            self._put("library", home.__name__, name.rpartition(".")[2], library(home.__name__))
        else:
            self.read(value)

    def _read_missing(self, name: str) -> None:
        if not library(name):
            self.give_up("which has not been imported: it must be imported at the top of the file")
        self._put("library", name, library(name))

    def _read_class(self, value: type) -> None:
        self._put("class", value.__qualname__, *self._place(value))
        self.read(type(value))
        self._read_all(value.__bases__)
        if isinstance(value, enum.EnumType):
            members: dict[str, Any] = dict(value.__members__)
            self.read({name: each.value for name, each in members.items()})
        self._read_named(plain.own_attributes(value))

    def _read_instance(self, value: Any, kind: type) -> None:
        if isinstance(value, enum.Enum):
            self._put("member", value.name)
            self._read_all((kind, value.value))
            return
        state = plain.state_of(value)
        if state is None:
            self.give_up(f"an object of class {kind.__module__}.{kind.__qualname__}")
            return
        self._put("instance", *([state.library] if state.library else []))
        if not state.library:
            self.read(kind)
        self._read_all(state.items)
        self._read_named(state.attributes)
