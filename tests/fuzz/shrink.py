"""A failing scenario made as small as it can be while it fails in the same way."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

Settings = dict[str, Any]
Fault = Callable[[Settings], str]

TRIES = 300  # some of them compile a kernel
_ROUND = (0, 1, 0.5, 0.1, 2, 3, 10)


def shrunk(settings: Settings, fault: Fault) -> Settings:
    """The smallest settings found whose fault begins alike, up to its second colon.

    Settings that are refused do not count, whatever they are refused for.
    """
    kind = _kind(settings, fault)
    tries = 0
    found = True
    while found and tries < TRIES:
        found = False
        for smaller in _smaller(settings):
            tries += 1
            if _kind(smaller, fault) == kind:
                settings, found = smaller, True
                break
    return settings


def _kind(settings: Settings, fault: Fault) -> str:
    try:
        return ":".join(fault(settings).split(":")[:2])
    except ValueError:  # no scenario any more
        return ""


def _smaller(settings: Settings) -> Iterator[Settings]:
    """Settings with a little less in them: the largest steps first."""
    for path, value in _places(settings):
        if path:
            yield _without(settings, path)
        if isinstance(value, list) and len(value) > 1:
            yield _with(settings, path, value[: len(value) // 2])
            yield _with(settings, path, value[1:])
    yield from _fewer_arms(settings)
    for path, value in _places(settings):
        if isinstance(value, int | float) and not isinstance(value, bool):
            for rounder in _rounder(value):
                yield _with(settings, path, rounder)


def _fewer_arms(settings: Settings) -> Iterator[Settings]:
    """One arm less in a law whose lists must be equally long."""
    for path, value in _places(settings):
        if isinstance(value, dict) and "law" in value:
            lists = {key: each[1:] for key, each in value.items() if isinstance(each, list)}
            yield _with(settings, path, {**value, **lists})


def _rounder(value: float) -> Iterator[int | float]:
    """Numbers that are easier to read, of the same type, on the way from simple to near."""
    for number in _ROUND:
        if abs(number) < abs(value) or (number == 0.5 and value > 0.5):
            yield type(value)(number)
    if isinstance(value, int):
        yield value // 2
        yield value - 1
    for digits in (1, 2, 3):
        near = float(f"{value:.{digits}g}") if isinstance(value, float) else value
        if near != value and len(repr(near)) < len(repr(value)):
            yield near


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield path, value
    inner = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        inner = enumerate(value)
    for key, each in inner:
        yield from _places(each, (*path, key))


def _with(settings: Settings, path: tuple[Any, ...], value: Any) -> Settings:
    smaller = copy.deepcopy(settings)
    _table(smaller, path)[path[-1]] = copy.deepcopy(value)
    return smaller


def _without(settings: Settings, path: tuple[Any, ...]) -> Settings:
    smaller = copy.deepcopy(settings)
    del _table(smaller, path)[path[-1]]
    return smaller


def _table(settings: Any, path: tuple[Any, ...]) -> Any:
    for step in path[:-1]:
        settings = settings[step]
    return settings
