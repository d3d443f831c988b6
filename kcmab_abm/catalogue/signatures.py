"""Checks of users' functions and settings at registration, without running them."""

from __future__ import annotations

import difflib
import dis
import inspect
import keyword
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from kcmab_abm.catalogue.entries import LARGEST_WHOLE, SIZES, Kind, Parameter
from kcmab_abm.catalogue.roles import Role, asked
from kcmab_abm.errors import MarketError
from kcmab_abm.model.book import Book
from kcmab_abm.model.budget import Purse
from kcmab_abm.model.customer import Customer
from kcmab_abm.model.offers import Board

_VERBS = re.compile("(LOAD|STORE|DELETE)_(?:FAST|DEREF)")
_WORDS_OF_FILES: dict[Kind, set[str]] = {  # what scenario files say beside the parameters
    "policy": {"name", "label"},
    "behaviour": {"behaviour", "decision", "weight"},
    "decision": {"rule"},
    "pricing rule": {"rule"},
    "disclosure": {"rule"},
    "measure": {"measure"},
    "run measure": {"measure"},
}


def asks_for_values(function: object) -> bool:
    """True if a function has an argument `values`: it fills in what arms are worth."""
    code = getattr(function, "__code__", None)
    return isinstance(code, types.CodeType) and "values" in code.co_varnames[: code.co_argcount]


def check_name(kind: str, name: object) -> None:
    """Refuse a decorator without parentheses, which would register nothing."""
    if not isinstance(name, str):
        decorator = "pricing" if kind == "pricing rule" else kind
        what = f"{name.__name__}()" if callable(name) and hasattr(name, "__name__") else repr(name)
        raise MarketError(
            f'@{decorator} needs a name in parentheses, such as @{decorator}("my-{decorator}"); '
            f"got {what}"
        )


def check_settings(
    kind: Kind,
    name: str,
    parameters: Mapping[str, Any],
    memory: Mapping[str, Any],
    words: list[str],
) -> None:
    """Refuse parameters and memory that files or engines could not use.

    `words` are the names of the decorator's other arguments.
    """
    for problem in _problems(kind, parameters, memory, words):
        raise MarketError(f"{kind} {name!r}: {problem}")


def _problems(
    kind: Kind, parameters: Mapping[str, Any], memory: Mapping[str, Any], words: list[str]
) -> Iterator[str]:
    for word, parameter in parameters.items():
        if not isinstance(parameter, Parameter):
            yield _no_parameter(word, parameter, words)
    if not isinstance(memory, Mapping):
        yield f"memory must be a dictionary of names and lengths, got {memory!r}"
    for word in [*parameters, *memory]:
        if not word.isidentifier() or keyword.iskeyword(word) or word.startswith("_"):
            yield f"{word!r} cannot be used as a field name"
    for word in _WORDS_OF_FILES[kind].intersection(parameters):
        yield f"parameter {word!r} has another meaning in scenario files; call it something else"
    for word in set(SIZES).intersection(parameters):
        yield (
            f"parameter {word!r} would be confused with the market's {word}; call it something else"
        )
    for word, size in memory.items():
        is_size = size in SIZES or size in parameters or (isinstance(size, int) and size > 0)
        if not (is_size or callable(size)):
            yield (
                f"memory {word!r} has length {size!r}; allowed are 'arms', 'horizon', the name of "
                "a parameter, a number > 0, or a function of arms and settings"
            )
    for word, parameter in parameters.items():
        if isinstance(parameter.default, int) and abs(parameter.default) > LARGEST_WHOLE:
            yield (
                f"parameter {word!r} must be at most 2**53 to be read exactly by both engines, "
                f"got {parameter.default}"
            )


def _no_parameter(word: str, given: object, words: list[str]) -> str:
    """The message for a decorator's argument that is not a `Parameter`."""
    if isinstance(given, int | float):
        return f"{word} must be a Parameter, such as {word}=Parameter({given}), got {given}"
    return f"{word} must be a Parameter, got {given!r}{_did_you_mean(word, words)}"


def check_tables(owner: str, tables: object) -> None:
    """Refuse tables that are not functions by name."""
    if not isinstance(tables, Mapping):
        raise MarketError(f"{owner}: tables must be a dictionary of functions, got {tables!r}")
    for word, table in tables.items():
        if not isinstance(word, str) or not word.isidentifier() or keyword.iskeyword(word):
            raise MarketError(f"{owner}: {word!r} cannot be used as a field name")
        if not callable(table):
            raise MarketError(
                f"{owner}: table {word!r} must be a function of arms and settings that returns an "
                f"array, got {table!r}"
            )


def check_function(
    owner: str,
    role: Role,
    function: object,
    fields: Mapping[str, tuple[str, ...]] | None = None,
) -> None:
    """Refuse what is not a plain function, and one that asks for unknown arguments.

    `fields` are the names that can be read from `params` and `memory`.
    """
    shape = f"def {role.name}({', '.join(role.asks)}), or some of these arguments"
    if not isinstance(function, types.FunctionType):
        raise MarketError(f"{owner}: {_nature(function)}; write a plain function, {shape}")
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        wrong = "async" if inspect.iscoroutinefunction(function) else "a generator"
        raise MarketError(
            f"{owner}: {function.__name__}() is {wrong}, and must return its answer; "
            f"write a plain function, {shape}"
        )
    _check_arguments(owner, function, role)
    _check_fields(owner, function, role, fields or {})


def _nature(thing: object) -> str:
    """Describe what was given instead of a function."""
    name = getattr(thing, "__name__", None) or type(thing).__name__
    if isinstance(thing, type):
        return f"{name} is a class"
    if isinstance(thing, types.BuiltinFunctionType):
        return f"{name} is built in"
    if hasattr(thing, "py_func"):
        return f"{name} is compiled already (take the decorator of numba away)"
    return f"{thing!r} is not a function" if not callable(thing) else f"a {name} was given"


def _check_arguments(owner: str, function: types.FunctionType, role: Role) -> None:
    """Refuse arguments that cannot be passed by name, or are unknown and have no default."""
    allowed = f"it may ask for: {', '.join(role.asks)}"
    for each in inspect.signature(function).parameters.values():
        if each.kind is not each.POSITIONAL_OR_KEYWORD:
            raise MarketError(
                f"{owner}: {function.__name__}() has the argument {str(each)!r}, which cannot be "
                f"asked for by name; {allowed}"
            )
        if each.name not in role.asks and each.default is each.empty:
            raise MarketError(
                f"{owner}: {function.__name__}() asks for {each.name!r}; {allowed}"
                f"{_did_you_mean(each.name, role.asks)}"
            )


def _check_fields(
    owner: str, function: types.FunctionType, role: Role, fields: Mapping[str, tuple[str, ...]]
) -> None:
    """Refuse attributes that an argument does not have, as far as the code shows."""
    known = {
        "book": Book._fields,
        "view": Book._fields,
        "board": Board._fields,
        "customer": Customer._fields,
        "purse": Purse._fields,
        **fields,
    }
    scopes = list(_scopes(function.__code__, frozenset(asked(function, role))))
    stored = {
        name
        for steps, seen in scopes
        for step in steps
        for verb, name in _variables(step)
        if verb != "LOAD" and name in seen
    }
    for steps, seen in scopes:
        for step, following in pairwise(steps):
            verb, local = next(reversed(_variables(step)), ("", ""))
            if verb != "LOAD" or local not in seen - stored:
                continue
            has = known.get(local)
            if has is None or following.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                continue
            wrong = following.argval
            if wrong not in has and not hasattr(tuple, wrong) and not wrong.startswith("_"):
                raise MarketError(
                    f"{owner}: {function.__name__}() reads {local}.{wrong}, and {local} has: "
                    f"{', '.join(has) or 'nothing'}{_did_you_mean(wrong, has)}"
                )


def _scopes(
    code: types.CodeType, names: frozenset[str]
) -> Iterator[tuple[list[dis.Instruction], frozenset[str]]]:
    """The instructions of a function and of all nested ones, each with the names it sees.

    Whether a comprehension is a nested function depends on the version of Python.
    """
    yield [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"], names
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from _scopes(each, names.intersection(each.co_freevars))


def _variables(step: dis.Instruction) -> list[tuple[str, str]]:
    """The actions of an instruction on local variables: "LOAD", "STORE" or "DELETE", with names.

    Since Python 3.13 one instruction may have two of them.
    """
    verbs = _VERBS.findall(step.opname)
    names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
    return list(zip(verbs, names, strict=True)) if verbs else []


def _did_you_mean(word: str, words: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    return f". Did you mean {near[0]!r}?" if near else ""
