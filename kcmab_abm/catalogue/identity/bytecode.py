"""The instructions of a function, with outside names replaced by what they stand for.

Names of local variables, docstrings, annotations and line numbers are left out, because they do not
affect what the code does.
"""

from __future__ import annotations

import builtins
import dis
import sys
import types
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

MISSING: Any = object()  # the value of an undefined name

_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}  # which one depends on where a name was imported
_GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME"}
_CHANGES = {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF"}
_SHARED = {dis.opname[code] for code in dis.hasfree} | {"LOAD_DEREF"}  # 3.14 counts it as local
_SILENT = {"CACHE", "EXTENDED_ARG", "NOP", "PUSH_NULL"}


class Step(NamedTuple):
    """An instruction and its argument: a number, a name or a constant."""

    instruction: str
    argument: Any = None


class Constant(NamedTuple):
    """The argument of an instruction that loads a constant."""

    value: Any


class Outside(NamedTuple):
    """A value that code reads from outside, with its name.

    `home` is the module of which it is an attribute; `is_changed` is True if the code rebinds the
    name.
    """

    name: str
    value: Any
    home: types.ModuleType | None = None
    is_changed: bool = False


def cells_of(function: types.FunctionType) -> dict[str, Any]:
    """The enclosing variables of a function."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # nothing was assigned yet
            found[name] = MISSING
    return found


def outside(function: types.FunctionType) -> Iterator[Outside]:
    """Everything that a function, or one nested in it, reads from outside."""
    todo = [(function.__code__, cells_of(function))]
    while todo:
        code, cells = todo.pop()
        for step in resolved(code, function.__globals__, cells):
            if isinstance(step.argument, Outside):
                yield step.argument
            elif isinstance(step.argument, types.CodeType):
                todo.append((step.argument, inner_cells(code, cells)))


def inner_cells(code: types.CodeType, cells: Mapping[str, Any]) -> dict[str, Any]:
    """The enclosing variables as seen by code nested in this code."""
    return {name: value for name, value in cells.items() if name not in code.co_cellvars}


def resolved(
    code: types.CodeType, scope: Mapping[str, Any], cells: Mapping[str, Any]
) -> Iterator[Step]:
    """The steps of the code; a name from outside, with attributes of modules, is an `Outside`."""
    steps = _steps(code)
    held: Outside | None = None  # a module whose attribute may be read next
    imported: Outside | None = None
    for place, step in enumerate(steps):
        instruction, argument = step
        found: Outside | None
        if held is not None and instruction == "LOAD_ATTR":
            found = _attribute(held, argument)
        elif imported is not None and instruction == "IMPORT_FROM":
            found = _attribute(imported, argument)
        elif instruction == "IMPORT_NAME":
            imported = _imported(argument, steps[place - 2].argument)
            follows = steps[place + 1].instruction
            found = None if follows == "IMPORT_FROM" else imported
        else:
            found = _loaded(step, scope, cells)
        if held is not None and instruction != "LOAD_ATTR":
            yield Step("LOAD", held)
        held = None
        if found is None:
            yield _nameless(step, code)
        elif isinstance(found.value, types.ModuleType) and instruction != "IMPORT_NAME":
            held = found
        else:
            yield Step(instruction, found)


def _loaded(step: Step, scope: Mapping[str, Any], cells: Mapping[str, Any]) -> Outside | None:
    """The outside variable that a step reads or changes, if any."""
    instruction, name = step
    if instruction == "LOAD_NAME" and name == "__name__":  # implicit in the body of a class
        return None
    if instruction in _GLOBALS:
        return Outside(name, scope.get(name, getattr(builtins, name, MISSING)))
    if instruction in _CHANGES and (name in cells or instruction.endswith("GLOBAL")):
        return Outside(name, MISSING, is_changed=True)
    if instruction in ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"):
        return Outside(name, cells[name]) if name in cells else None
    return None


def _nameless(step: Step, code: types.CodeType) -> Step:
    """A step on a variable shared with nested functions, with its index instead of its name."""
    shared = code.co_cellvars + code.co_freevars
    if step.instruction in _SHARED and step.argument in shared:
        return Step(step.instruction, shared.index(step.argument))
    return step


def _attribute(held: Outside, name: str) -> Outside:
    value = getattr(held.value, name, MISSING)
    if value is MISSING and isinstance(held.value, types.ModuleType):
        value = sys.modules.get(f"{held.value.__name__}.{name}", MISSING)
    home = held.value if isinstance(held.value, types.ModuleType) else None
    return Outside(f"{held.name}.{name}", value, home)


def _imported(name: str, level: object) -> Outside:
    """A module imported while the code runs; missing if it has not been imported yet."""
    is_absolute = level in (0, Constant(0))
    return Outside(name, sys.modules.get(name, MISSING) if is_absolute else MISSING)


@lru_cache(maxsize=4096)
def catches(code: types.CodeType) -> tuple[tuple[int, ...], ...]:
    """The exception table: start, end and target of each handler as steps, and stack depth."""
    return tuple(
        (*(_ordinal(code, place) for place in (each.start, each.end, each.target)), each.depth)
        for each in dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]
    )


@lru_cache(maxsize=4096)
def _steps(code: types.CodeType) -> tuple[Step, ...]:
    return tuple(Step(_instruction(each), _argument(each, code)) for each in _audible(code))


@lru_cache(maxsize=4096)
def _audible(code: types.CodeType) -> tuple[dis.Instruction, ...]:
    return tuple(each for each in dis.get_instructions(code) if each.opname not in _SILENT)


def _ordinal(code: types.CodeType, offset: int) -> int:
    """The index of the step at an offset."""
    return bisect_left([each.offset for each in _audible(code)], offset)


def _instruction(each: dis.Instruction) -> str:
    return "LOAD_ATTR" if each.opname in _ATTRIBUTES else each.opname


def _argument(each: dis.Instruction, code: types.CodeType) -> Any:
    if each.opcode in dis.hasconst and each.opname != "LOAD_SMALL_INT":
        constant = code.co_consts[each.arg or 0]
        return constant if isinstance(constant, types.CodeType) else Constant(constant)
    if each.opcode in dis.hasname or each.opname in _SHARED:
        return each.argval
    if each.opcode in dis.hasjrel or each.opcode in dis.hasjabs:
        return _ordinal(code, each.argval)
    return each.arg
