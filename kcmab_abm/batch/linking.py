"""The driver and a kernel, made ready for each other: one calls the other by its address.

The driver is compiled for a kernel's type, not for a kernel: numba would else compile it again for
each of them. So its types are spelled out here, and whatever does not fit them is an error.
"""

from __future__ import annotations

import threading
import types as python_types
from functools import cache
from typing import Any

from numba import typeof, types

from kcmab_abm.batch.compile import driver
from kcmab_abm.batch.state import Block, State, Streams, Tapes, World
from kcmab_abm.trajectory import Tally

_WHOLE = types.int64
_TAPES = types.Array(types.float64, 2, "C")
_KNOWN = types.Array(types.int64, 1, "C")
_SUMS = types.Array(types.float64, 1, "C")
_ALL_TAPES = [types.Array(types.float64, 3, "C"), types.Array(types.int64, 2, "C")]
_CONTROL = types.Array(types.int64, 1, "C")

_drivers: dict[python_types.ModuleType, python_types.ModuleType] = {}  # by kernel
_linking = threading.Lock()


def link(
    kernel: python_types.ModuleType,
    world: World,
    state: State,
    streams: Streams,
    block: Block,
    tally: Tally,
) -> python_types.ModuleType:
    """The driver for this kernel, both compiled for arguments of these types.

    A kernel that cannot be compiled raises numba's own error.
    """
    with _linking:
        if kernel not in _drivers:
            kinds = tuple(typeof(each) for each in (world, state, streams, block, tally))
            kernel.advance.get_compile_result(_signature(kinds))
            _drivers[kernel] = _driver_for(kinds)
    return _drivers[kernel]


def _signature(kinds: tuple[types.Type, ...]) -> Any:
    """What `advance` takes and gives."""
    world, state, streams, block, _ = kinds
    arguments = (world, state, streams, _TAPES, _KNOWN, _WHOLE, _WHOLE, block)
    return types.UniTuple(_WHOLE, 3)(*arguments)


@cache
def _driver_for(kinds: tuple[types.Type, ...]) -> python_types.ModuleType:
    world, state, streams, block, tally = kinds
    advance = types.FunctionType(_signature(kinds))
    tapes = types.NamedTuple(_ALL_TAPES, Tapes)
    ready = driver()
    rest = {
        ready.run_block: (
            *(_TAPES, _KNOWN, _WHOLE, _WHOLE, block),  # as `advance` takes them
            *(_SUMS, _WHOLE, _WHOLE, tally),
        ),
        ready.run_replications: (tapes, _WHOLE, block, _SUMS, tally, _CONTROL),
    }
    for function, arguments in rest.items():
        function.disable_compile(False)
        function.compile((advance, world, state, streams, *arguments))
        function.disable_compile()
    return ready
