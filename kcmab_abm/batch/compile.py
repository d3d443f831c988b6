"""Compile plain functions into a kernel, which is kept on disk and never stale.

A kernel is `kernel.py`, executed with the functions of one policy, behaviour, pricing rule and
disclosure and of the laws among its globals. It is named by a digest of everything that goes into
it: the functions and all they refer to, the sources that both engines share, the versions of the
libraries. Its machine code is kept on disk under that name (`store.py`); if anything changes, so
does the name.
"""

from __future__ import annotations

import hashlib
import secrets
import sys
import threading
import types
from collections.abc import Callable, Hashable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.extending import register_jitable

from kcmab_abm.batch import clock, pending
from kcmab_abm.batch.accounts import add_block, add_counts, open_accounts, open_market
from kcmab_abm.batch.checked import Checked
from kcmab_abm.batch.guard import sealed_call
from kcmab_abm.batch.reach import Opaque, digest, fresh, reachable
from kcmab_abm.batch.store import cache_folder, keep
from kcmab_abm.catalogue.entries import is_own
from kcmab_abm.catalogue.roles import Role
from kcmab_abm.model import book, budget, change, offers, priors, streams, timing
from kcmab_abm.model.arithmetic import beta, elementary

_PACKAGE = "kcmab_abm"
_FOLDER = Path(__file__).parents[1]
_SHARED = [
    "model/*.py",
    "model/arithmetic/*.py",
    "catalogue/entries.py",
    "catalogue/roles.py",
    "catalogue/composition.py",
    "catalogue/perception.py",
    "batch/*.py",
]


def _matching(pattern: str) -> list[Path]:
    """The sources that match a pattern; one without a match would let machine code go stale."""
    found = sorted(_FOLDER.glob(pattern))
    if not found:
        raise ImportError(f"no source file of {_PACKAGE} matches {pattern!r}")
    return found


_VERSIONS = [sys.version, np.__version__, numba.__version__, llvmlite.__version__]
_NOT_INLINED = {beta.__name__, elementary.__name__}  # long functions, rarely called
# Read once, like the modules imported from them: the files may change during a run.
_SOURCES = {path: path.read_bytes() for pattern in _SHARED for path in _matching(pattern)}

Prepare = Callable[[Role, Callable[..., Any]], Callable[..., Any]]

_registered: set[types.FunctionType] = set()
_modules: dict[Hashable, types.ModuleType] = {}
_loading = threading.Lock()


def module_for(
    template: str,
    supplied_by: Callable[[Prepare], dict[str, Any]],
    flags: dict[str, bool],
    made_of: Hashable,
) -> types.ModuleType:
    """The module of a template with these functions, loaded unless it has been."""
    supplied = supplied_by(lambda role, function: function)
    key: Hashable
    try:
        key = identity = _digest(supplied, template, flags)
    except Opaque:  # no digest: used for these very objects only, and not kept on disk
        called = (each for act in supplied.values() for each in reachable(act))
        theirs = tuple(each for each in called if not is_own(each.__module__))
        key, identity = (template, made_of, *flags.values(), theirs), ""
    with _loading:  # the threads of a cluster's worker may all load their first kernel at once
        if key not in _modules:
            calls = supplied_by(lambda role, each: sealed_call(role, fresh(each)))
            _modules[key] = _load(template, identity, calls, flags)
    return _modules[key]


@cache
def driver(timed: bool) -> types.ModuleType:
    """The module that runs replications through any kernel, or any `timed` one.

    Numba tries to compile a kernel for all types of arguments that the function calling it knows.
    """
    with _loading:
        flags = {"timed": timed}
        return _load("driver", _digest({}, "driver", flags), {}, flags)


def from_sources(template: str, kinds: Any, supplied: dict[str, Any]) -> types.ModuleType:
    """The module of a template that depends on the shared sources and on these types alone."""
    summary = hashlib.sha256(repr([_VERSIONS, kinds]).encode())
    for source in _SOURCES.values():
        summary.update(source)
    with _loading:
        return _load(template, summary.hexdigest()[:32], supplied, {})


def _load(
    template: str,
    identity: str,
    supplied: dict[str, types.FunctionType],
    flags: dict[str, bool],
) -> types.ModuleType:
    """Execute a template; its machine code is kept on disk if it has an identity."""
    for function in [*supplied.values(), *_shared()]:
        _make_compilable(function)
    source = _FOLDER / "batch" / f"{template}.py"
    # The machine code on disk refers to its module by name.
    module = types.ModuleType(f"kcmab_{template}_{identity or secrets.token_hex(16)}")
    module.__dict__.update(supplied, **flags, __file__=str(source))
    sys.modules[module.__name__] = module
    exec(compile(_SOURCES[source], source, "exec"), module.__dict__)
    if identity and (folder := cache_folder()):
        for name, each in vars(module).items():
            if not isinstance(each, Dispatcher) or each.__module__ != module.__name__:
                continue
            # What is inlined is part of its caller's code, and numba cannot inline it from disk.
            if not each.targetoptions.get("forceinline"):
                keep(each, folder, module.__name__, name)
    return module


def _digest(supplied: dict[str, Any], template: str, flags: dict[str, bool]) -> str:
    summary = hashlib.sha256(repr([_VERSIONS, template, flags]).encode())
    for source in _SOURCES.values():
        summary.update(source)
    for name, function in supplied.items():
        summary.update(f"{name} {digest(function)}".encode())
    return summary.hexdigest()[:32]


def _shared() -> list[Any]:
    return [
        add_block,
        add_counts,
        open_accounts,
        open_market,
        book.clear,
        book.find_top,
        book.is_legible,
        book.record,
        book.next_unreported,
        change.add_means,
        change.highest_mean,
        change.move_means,
        clock.move_clock,
        clock.open_clock,
        offers.is_offer,
        offers.least_offer,
        offers.misjudged,
        offers.next_to_offer,
        offers.personal_gap,
        priors.draw_means,
        pending.add_report,
        pending.next_report,
        budget.affordable,
        budget.charge,
        budget.most_affordable,
        streams.stream_key,
        streams.uniform_at,
        timing.draw_duration,
    ]


def _make_compilable(function: types.FunctionType) -> None:
    """Let compiled code call a plain function and all it calls.

    The tests show that the package's own functions stay within their arrays and allocate nothing,
    so they need neither index checks nor reference counts (`_nrt`, which triples the time per
    customer). Users' functions get both, an error for division by zero, and the checks of
    `checked.py`.
    """
    for each in reachable(function):
        if each not in _registered:
            foreign = not is_own(each.__module__)
            checked = {"pipeline_class": Checked} if foreign else {}
            register_jitable(
                error_model="python" if foreign else "numpy",
                forceinline=each.__module__ not in _NOT_INLINED,
                boundscheck=foreign,
                _nrt=foreign,
                no_cpython_wrapper=True,
                no_cfunc_wrapper=True,
                **checked,
            )(each)
            _registered.add(each)


def define(source: str, **scope: Any) -> Any:
    """A function from its source: numba loops neither over functions nor over fields of a tuple."""
    names = {"__name__": _PACKAGE, **scope}
    exec(source, names)
    return names["act"]
