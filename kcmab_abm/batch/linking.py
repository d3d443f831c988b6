"""Link the driver with a kernel, which it calls by its address.

The driver is compiled for a function type, or numba would compile it again for each kernel. So its
types are written out here, and whatever does not match them is an error.
"""

from __future__ import annotations

import threading
import types as python_types
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from numba import typeof, types

from kcmab_abm.batch.compile import driver, from_sources
from kcmab_abm.batch.holding import holding, size_of
from kcmab_abm.batch.picking import picking
from kcmab_abm.batch.state import Counting, Job, Markets, Streams

_WHOLE = types.int64

Module = python_types.ModuleType
_drivers = WeakKeyDictionary[Module, Module]()  # by kernel or, with measures, by counter
_linked = WeakSet[Module]()  # kernels that have been compiled
_linking = threading.Lock()


class Uncompilable(Exception):
    """A kernel or a counter, `args[0]`, that numba cannot compile; its own error is the cause."""


def link(
    kernel: Module,
    streams: Streams,
    job: Job,
    counter: Module | None = None,
    counting: Counting | None = None,
) -> Module:
    """The driver for this kernel, both compiled for arguments of these types.

    A scenario with measures of its own has a `counter`, and what it writes to.
    """
    last = kernel if counter is None else counter
    with _linking:
        if kernel not in _linked or last not in _drivers:
            kinds = typeof(streams), typeof(job), typeof(counting)
            _compile(kernel, kernel.advance, _signature(*kinds[:2]))
            if counter is not None:
                _compile(counter, counter.count_block, _count_signature(*kinds[1:]))
            _drivers[last] = _driver_for(*kinds, kernel.timed)
            _linked.add(kernel)
    return _drivers[last]


def _compile(module: Module, function: Any, signature: Any) -> None:
    try:
        _settle(function, signature)
    except (OSError, MemoryError, Warning):  # not the fault of what is compiled
        raise
    except Exception as error:  # numba's are of many kinds: TypeError is among them
        raise Uncompilable(module) from error


def _settle(function: Any, signature: Any) -> None:
    """Compile a function for these types, the only ones it will be called with.

    Whoever passes the function on by its address asks for its code, which numba would look up by
    the hash of all types: it takes as long as ten thousand customers.
    """
    code = function.get_compile_result(signature)
    function.get_compile_result = lambda signature: code


def _signature(streams: Any, job: Any) -> Any:
    """The types that `advance` takes and returns."""
    parts = dict(zip(job.fields, job.types, strict=True))
    arguments = (parts["world"], parts["state"], streams, _WHOLE, _WHOLE, parts["block"])
    return types.UniTuple(_WHOLE, 2)(*arguments)


def _count_signature(job: Any, counting: Any) -> Any:
    """The types that `count_block` takes and returns."""
    parts = dict(zip(job.fields, job.types, strict=True))
    arguments = (parts["world"], parts["block"], counting, _WHOLE, _WHOLE)
    return types.UniTuple(_WHOLE, 2)(*arguments)


@cache
def _driver_for(streams: Any, job: Any, counting: Any, timed: bool) -> Module:
    ready = driver(timed)
    advance = types.FunctionType(_signature(streams, job))
    count_block = counting
    if counting is not types.none:
        count_block = types.FunctionType(_count_signature(job, counting))
    ready.run_job.disable_compile(False)
    ready.run_job.compile((advance, count_block, counting, streams, job, _WHOLE, _WHOLE))
    ready.run_job.disable_compile()
    return ready


def link_stepper(streams: Streams, job: Job, markets: Markets) -> python_types.ModuleType:
    """The module that advances markets side by side, compiled for arguments of these types."""
    with _linking:
        return _stepper_for(typeof(streams), typeof(job), typeof(markets))


@cache
def _stepper_for(streams: Any, job: Any, markets: Any) -> python_types.ModuleType:
    advance = types.FunctionType(_signature(streams, job))
    kept = types.Tuple((streams, job, markets))
    # What is kept does not show in the signatures, so its types are part of the module's name.
    ready = from_sources("stepper", (advance, kept), picking())
    place, room = size_of(kept), size_of(kept) + size_of(advance)
    names = {"held": holding(kept), "held_advance": holding(advance)}
    vars(ready).update(names, place_of_advance=place, room=room)
    signatures = {
        ready.keep_markets: (advance, streams, job, markets, _WHOLE),
        ready.open_markets: (_WHOLE, types.uint64[::1]),
        ready.step_markets: (_WHOLE, _WHOLE, types.int64[::1], types.float64[::1]),
    }
    for function, signature in signatures.items():
        function.disable_compile(False)
        function.compile(signature)
        function.disable_compile()
    return ready
