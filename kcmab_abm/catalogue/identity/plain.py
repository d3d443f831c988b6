"""The contents of objects, as far as they can be read."""

from __future__ import annotations

import abc
import array
import collections
import contextlib
import copyreg
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import pathlib
import re
import sys
import types
import typing
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from kcmab_abm.catalogue.identity.libraries import library

_CONTENTS: dict[type, Any] = {  # of classes that derive from these
    tuple: lambda value: tuple(tuple.__iter__(value)),
    list: lambda value: list(list.__iter__(value)),
    dict: lambda value: dict(dict.items(value)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    int: int.__index__,
    float: float.__float__,
    str: str.__str__,
}
_STATELESS = {object, abc.ABC, typing.Generic, typing.Protocol}
_REDUCED = {  # library classes whose __reduce_ex__ returns all contents
    range,
    slice,
    bytearray,
    array.array,
    collections.deque,
    collections.OrderedDict,
    collections.defaultdict,
    collections.Counter,
    datetime.date,
    datetime.datetime,
    datetime.time,
    datetime.timedelta,
    datetime.timezone,
    decimal.Decimal,
    fractions.Fraction,
    pathlib.PurePosixPath,
    pathlib.PureWindowsPath,
    pathlib.PosixPath,
    pathlib.WindowsPath,
    re.Pattern,
}
_SIGNS = {
    type(dataclasses.MISSING),
    type(getattr(dataclasses, "_HAS_DEFAULT_FACTORY", dataclasses.MISSING)),
}
_UNREAD = {  # class attributes that do not affect behaviour
    "__abstractmethods__",
    "__annotate__",
    "__annotate_func__",
    "__annotations__",
    "__annotations_cache__",
    "__classdictcell__",
    "__conditional_annotations__",
    "__dataclass_params__",
    "__dict__",
    "__doc__",
    "__firstlineno__",
    "__module__",
    "__orig_bases__",
    "__parameters__",
    "__qualname__",
    "__static_attributes__",
    "__type_params__",
    "__weakref__",
    "_abc_impl",
}
_OF_NAMED_TUPLES = {"__new__", "_make", "_replace", "__replace__", "_asdict", "__getnewargs__"}
_WRITERS = {"collections", "dataclasses", "reprlib", "typing"}  # generate __repr__ for classes


class State(NamedTuple):
    """The contents of an object: items, attributes, and the class if it belongs to a library."""

    items: list[Any]
    attributes: list[tuple[str, Any]]
    library: str = ""


def is_constant(value: Any) -> bool:
    """Return True for an immutable value, which is interchangeable with any equal one."""
    return isinstance(value, np.generic | enum.Enum)


def is_fixed(value: Any, home: types.ModuleType) -> bool:
    """Return True if a value is a fixed part of a library's module, identified by its name there.

    That is so for functions, classes and objects that a package provides (a distribution of
    SciPy), but not for mutable data of Python's own modules, such as os.environ.
    """
    if not library(home.__name__) or isinstance(value, types.ModuleType):
        return False
    if isinstance(value, type | types.FunctionType):
        return bool(library(value.__module__))
    if callable(value):
        return bool(library(type(value).__module__))
    return library(home.__name__) != "python" and not _is_data(value)


def _is_data(value: Any) -> bool:
    kinds = (int, float, complex, str, bytes, tuple, list, dict, set, frozenset, np.ndarray)
    return value is None or isinstance(value, (*kinds, np.generic))


def own_attributes(kind: type) -> Iterator[tuple[str, Any]]:
    """The attributes that a class defines, without generated ones."""
    is_named_tuple = kind.__bases__ == (tuple,) and hasattr(kind, "_fields")
    for name, value in list(vars(kind).items()):
        writer = getattr(value, "__globals__", {}).get("__name__")
        if name in _UNREAD or (name == "__repr__" and writer in _WRITERS):
            continue
        if isinstance(value, types.MemberDescriptorType):
            yield name, "slot"
        elif name == "__dataclass_fields__":
            yield name, [(each.name, dict(each.metadata)) for each in value.values()]
        elif is_named_tuple and (name in _OF_NAMED_TUPLES or name in kind._fields):  # type: ignore[attr-defined]
            continue
        elif not isinstance(kind, enum.EnumType) or _is_own_of_enum(kind, name):
            yield name, value


def _is_own_of_enum(kind: enum.EnumType, name: str) -> bool:
    is_sunder = name.startswith("_") and name.endswith("_") and not name.startswith("__")
    return name not in kind.__members__ and (name == "_missing_" or not is_sunder)


def state_of(value: Any) -> State | None:
    """The contents of an object; None if they cannot be read completely."""
    kind = type(value)
    called = f"{kind.__module__}.{kind.__qualname__}"
    if kind in _SIGNS:
        return State([], [], called)
    if kind in _REDUCED:
        reduce = copyreg.dispatch_table.get(kind)
        reduced: Any = reduce(value) if reduce else value.__reduce_ex__(4)
        made, given, *rest = reduced
        parts = [list(part) if isinstance(part, Iterator) else part for part in rest]
        return State([made, given, *parts], [], called)
    if kind is types.BuiltinMethodType:
        return State([value.__name__, value.__self__], [], called)
    if kind is types.MappingProxyType:
        return State([dict(value)], [], called)
    if kind is types.SimpleNamespace:
        return State([], list(vars(value).items()), called)
    if isinstance(value, functools._lru_cache_wrapper):
        return State([value.__wrapped__, value.cache_parameters()["typed"]], [], called)
    if library(kind.__module__):
        return _of_library(value, kind)
    foreign = {base for base in kind.__mro__ if library(base.__module__)} - _STATELESS
    if not foreign <= set(_CONTENTS):
        return None
    items = [_CONTENTS[base](value) for base in kind.__mro__ if base in _CONTENTS]
    return State(items, [*_attributes(value, kind)])


def _of_library(value: Any, kind: type) -> State | None:
    """The contents of functions compiled by numba and of objects that packages provide."""
    module = kind.__module__
    if module.startswith("numba.") and hasattr(value, "py_func"):
        options = getattr(value, "targetoptions", None)
        return None if options is None else State([value.py_func], list(options.items()), module)
    if library(module) != "python":
        for name, found in list(vars(sys.modules.get(module, types)).items()):
            if found is value:
                return State([], [], f"{module}.{name} {library(module)}")
    return None


def _attributes(value: Any, kind: type) -> Iterator[tuple[str, Any]]:
    with contextlib.suppress(AttributeError):
        yield from object.__getattribute__(value, "__dict__").items()
    for base in kind.__mro__:
        for name, slot in vars(base).items():
            if isinstance(slot, types.MemberDescriptorType) and not library(base.__module__):
                try:
                    yield f"{base.__qualname__}.{name}", slot.__get__(value)
                except AttributeError:  # never assigned
                    continue
