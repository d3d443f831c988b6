"""Find out, without running it, what makes a user's function unrepeatable."""

from __future__ import annotations

import datetime
import os
import random
import secrets
import threading
import time
import types
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kcmab_abm.catalogue.entries import is_own
from kcmab_abm.catalogue.identity.bytecode import Outside, outside
from kcmab_abm.catalogue.identity.libraries import library

_ADVICE = {
    module.__name__: advice
    for advice, modules in {
        "draw from rng, the argument, instead": (random, np.random, secrets, uuid),
        "a run must not depend on when it is made": (time, datetime),
    }.items()
    for module in modules
}
_HARMLESS = ("sleep", "Generator", "timedelta")
_SYSTEM = (os.urandom, getattr(os, "getrandom", os.urandom))
_OF_THE_PROCESS = (hash, id, os.getpid, os.getppid, threading.get_ident, threading.get_native_id)
_OF_RNG = frozenset(dir(np.random.Generator))
_GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)


def global_randomness(function: Callable[..., Any]) -> str:
    """The name by which a function, or one that it calls, reads global randomness, with advice.

    '' if nothing is found. Looks for the generators of the process and of the function's module,
    for the clock, and for hashes and addresses; the market notices other draws when it runs.
    """
    seen: set[types.FunctionType] = set()
    todo = [function]
    while todo:
        here = todo.pop()
        if not isinstance(here, types.FunctionType) or here in seen or is_own(here.__module__):
            continue
        seen.add(here)
        for found in outside(here):
            for each in (found, *_late(found, here.__code__)):
                if advice := _advice(each):
                    return f"{here.__name__}() reads {each.name}; {advice}"
            if isinstance(found.value, types.FunctionType) and not library(found.value.__module__):
                todo.append(found.value)
    return ""


def _late(found: Outside, code: types.CodeType) -> Iterator[Outside]:
    """What code may read of a module that it imports itself: attributes of any name it uses.

    Those of np.random that `rng` has as well are left to the market, which notices such draws.
    """
    if isinstance(found.value, types.ModuleType) and not found.home:
        for name in _names(code):
            value = getattr(found.value, name, None)
            if not isinstance(value, types.ModuleType):
                yield Outside(f"{found.name}.{name}", value, found.value)
            elif value is np.random:
                for word in set(_names(code)) - _OF_RNG:
                    inner = getattr(value, word, None)
                    yield Outside(f"{found.name}.{name}.{word}", inner, value)


def _names(code: types.CodeType) -> Iterator[str]:
    """The attributes and global names used in code and in the functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _advice(found: Outside) -> str:
    """The advice against reading a value, '' if there is none."""
    value = found.value
    if isinstance(value, types.ModuleType):  # imported; its use is then hard to see
        return "" if found.home else _ADVICE.get(value.__name__, "")
    drawn_from = (value, getattr(value, "__self__", None))
    if any(isinstance(each, _GENERATORS) for each in drawn_from) or any(
        value is each for each in _SYSTEM
    ):
        return _ADVICE["random"]
    if any(value is each for each in _OF_THE_PROCESS):
        return "what it returns differs from process to process"
    module = getattr(value, "__module__", None)
    if not isinstance(module, str) or found.name.rpartition(".")[2] in _HARMLESS:
        return ""
    return next((each for name, each in _ADVICE.items() if f"{module}.".startswith(f"{name}.")), "")
