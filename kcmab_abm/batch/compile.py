"""From plain functions to a compiled kernel, kept on disk and never stale.

A kernel is a copy of `kernel.py`, executed with the functions of one policy, one behaviour and the
laws among its globals. The copy lives in a folder named by a digest of everything that goes into
it: the functions and whatever they refer to, the sources that both engines share, the versions of
the libraries. Numba keeps the machine code beside the copy; if anything changes, so does the
folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import secrets
import shutil
import sys
import tempfile
import threading
import types
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import platformdirs
import scipy
from numba.extending import register_jitable

import kcmab_abm
from kcmab_abm import book, changes, offers, purse, streams
from kcmab_abm.batch import driver as driver_template
from kcmab_abm.batch import kernel as template
from kcmab_abm.batch import special  # noqa: F401 (teaches numba SciPy's functions)
from kcmab_abm.batch.accounts import add_block, open_accounts
from kcmab_abm.batch.reach import Opaque, digest, fresh, reachable
from kcmab_abm.catalogue import LAWS
from kcmab_abm.entries import Entry, Law, fields_type

_PACKAGE = Path(kcmab_abm.__file__).parent
_SOURCES = [
    "book.py",
    "changes.py",
    "entries.py",
    "offers.py",
    "purse.py",
    "streams.py",
    "trajectory.py",
    "batch/*.py",
]
_VERSIONS = [
    sys.version,
    np.__version__,
    numba.__version__,
    llvmlite.__version__,
    scipy.__version__,
]
_CACHE = "KCMAB_CACHE_DIR"

Agents = tuple[Entry, Entry, Entry]  # a policy, a behaviour, a pricing rule

_registered: set[types.FunctionType] = set()
_kernels: dict[Path, types.ModuleType] = {}
_loading = threading.Lock()


def known_laws(used: tuple[Law, ...]) -> tuple[Law, ...]:
    """The laws that a kernel is compiled for: the package's own and those in use."""
    own = [LAWS.find(name) for name in LAWS.own_names()]
    return (*own, *sorted({*used} - {*own}, key=lambda law: law.name))


def kernel_for(agents: Agents, laws: tuple[Law, ...], plain: bool) -> types.ModuleType:
    """The kernel that runs this policy, these customers and this pricing on arms of these laws.

    A `plain` one is for markets in which nothing changes and one offer at a time has no limit.

    It is compiled when it is first called, unless an earlier run left the machine code on disk. One
    in memory is used again as long as all that it was made from is what it was; the package's own
    functions do not change while it runs, and are not looked at again.
    """
    modules = [*(agent.module for agent in agents), *(law.module for law in laws)]
    if all(module.startswith(f"{kcmab_abm.__name__}.") for module in modules):
        return _lasting_kernel(agents, laws, plain)
    return _kernel(agents, laws, plain)


@cache
def _lasting_kernel(agents: Agents, laws: tuple[Law, ...], plain: bool) -> types.ModuleType:
    return _kernel(agents, laws, plain)


def _kernel(agents: Agents, laws: tuple[Law, ...], plain: bool) -> types.ModuleType:
    supplied = _supplied(agents, laws)
    try:
        folder = cache_folder() / _digest(supplied, plain)
    except Opaque:
        folder = _private_folder(agents, laws, plain)
    with _loading:  # the threads of a cluster's worker may all want their first one at once
        if folder not in _kernels:
            copies = {name: fresh(each) for name, each in supplied.items()}
            flags = {"varied": not plain, "doubted": not _is_own(copies["price"])}
            _kernels[folder] = _load(folder, template, copies, flags)
    return _kernels[folder]


@cache
def driver() -> types.ModuleType:
    """What runs replications through any kernel; compiled when it is first called, or on disk."""
    with _loading:
        return _load(cache_folder() / _digest({}, True), driver_template, {}, {})


@cache
def _private_folder(agents: Agents, laws: tuple[Law, ...], plain: bool) -> Path:
    """A folder for functions whose content cannot be told: for this process only."""
    return Path(tempfile.mkdtemp(dir=_temporary_folder()))


def _load(
    folder: Path,
    source: types.ModuleType,
    supplied: dict[str, types.FunctionType],
    flags: dict[str, bool],
) -> types.ModuleType:
    """A copy of a template, executed from the folder in which numba keeps its machine code."""
    for function in [*supplied.values(), *_shared()]:
        _make_compilable(function)
    folder.mkdir(parents=True, exist_ok=True)
    original = Path(str(source.__file__))
    copy = folder / original.name
    if not copy.exists():
        # Not named by the process: other machines may share the disk and have one of this number.
        partial = folder / f"{original.stem}-{secrets.token_hex(8)}.partial"
        shutil.copyfile(original, partial)
        partial.replace(copy)
    name = f"kcmab_{original.stem}_{folder.name}"
    spec = importlib.util.spec_from_file_location(name, copy)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(supplied, **flags)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def cache_folder() -> Path:
    """Where kernels are kept: $KCMAB_CACHE_DIR, else the user's cache, else a temporary folder."""
    wanted = os.environ.get(_CACHE) or platformdirs.user_cache_dir("kcmab", appauthor=False)
    with contextlib.suppress(OSError):
        Path(wanted).mkdir(parents=True, exist_ok=True)
        if os.access(wanted, os.W_OK):
            return Path(wanted)
    return _temporary_folder()


@lru_cache(maxsize=1)
def _temporary_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="kcmab-"))


def _digest(supplied: dict[str, types.FunctionType], plain: bool) -> str:
    summary = hashlib.sha256(repr([_VERSIONS, plain]).encode())
    for pattern in _SOURCES:
        for source in sorted(_PACKAGE.glob(pattern)):
            summary.update(source.read_bytes())
    for name, function in supplied.items():
        summary.update(f"{name} {digest(function)}".encode())
    return summary.hexdigest()[:32]


def _shared() -> list[Any]:
    return [
        add_block,
        open_accounts,
        book.record,
        book.next_unreported,
        changes.add_means,
        changes.highest_mean,
        changes.move_means,
        offers.estimated_gap,
        offers.least_offer,
        offers.next_to_offer,
        purse.affordable,
        purse.charge,
        streams.uniform_at,
    ]


def _make_compilable(function: types.FunctionType) -> None:
    """Let compiled code call a plain function and all it calls.

    The package's own functions are tested never to leave their arrays and allocate nothing, so
    they need neither index checks nor reference counts (`_nrt`: three times the time a customer);
    other people's functions get both.
    """
    for each in reachable(function):
        if each not in _registered:
            foreign = not _is_own(each)
            register_jitable(
                error_model="numpy", forceinline=True, boundscheck=foreign, _nrt=foreign
            )(each)
            _registered.add(each)


def _is_own(function: types.FunctionType) -> bool:
    return function.__module__.partition(".")[0] == kcmab_abm.__name__


def _supplied(agents: Agents, laws: tuple[Law, ...]) -> dict[str, Any]:
    """The functions that the template lacks, by the names it knows them by."""
    policy, behaviour, pricing = agents
    return {
        "choose": policy.act,
        "learn": policy.learn or _define("def act(arm, reward, book, memory, params, rng): pass"),
        "take": behaviour.act,
        "hear": behaviour.learn
        or _define("def act(t, arm, reward, book, memory, params, rng): pass"),
        "report": behaviour.report
        or _define("def act(reward, payment, memory, params, rng): return reward"),
        "price": pricing.act,
        "see": pricing.learn or _define("def act(t, offer, taken, memory, params, rng): pass"),
        "reward": _reward(laws),
        "move": _move(laws),
        "policy_params": _params(policy),
        "policy_memory": _memory(policy),
        "customer_params": _params(behaviour),
        "customer_memory": _memory(behaviour),
        "price_params": _params(pricing),
        "price_memory": _memory(pricing),
    }


def _reward(laws: tuple[Law, ...]) -> Any:
    lines = ["def act(kind, u, row):"]
    lines += [f"    if kind == {kind}: return law_{kind}(u, row)" for kind in range(len(laws))]
    lines += ["    return 0.0"]
    return _define("\n".join(lines), **{f"law_{k}": law.reward for k, law in enumerate(laws)})


def _move(laws: tuple[Law, ...]) -> Any:
    moves = {f"move_{k}": law.move for k, law in enumerate(laws) if law.move is not None}
    lines = ["def act(kind, mean, row, moved):"]
    lines += [f"    if kind == {name[5:]}: {name}(mean, row, moved)" for name in moves]
    return _define("\n".join([*lines, "    return"]), **moves)


def _params(entry: Entry) -> Any:
    casts = [type(parameter.default).__name__ for parameter in entry.parameters.values()]
    values = [f"{cast}(values[{place}])" for place, cast in enumerate(casts)]
    return _define(
        f"def act(values): return Fields({', '.join(values)})",
        Fields=fields_type(tuple(entry.parameters)),
    )


def _memory(entry: Entry) -> Any:
    parts = [f"flat[bounds[{k}]:bounds[{k + 1}]]" for k in range(len(entry.memory))]
    return _define(
        f"def act(flat, bounds): return Fields({', '.join(parts)})",
        Fields=fields_type(tuple(entry.memory)),
    )


def _define(source: str, **scope: Any) -> Any:
    """A function from its text: numba cannot loop over the fields of a named tuple."""
    names = {"__name__": kcmab_abm.__name__, **scope}
    exec(source, names)
    return names["act"]
