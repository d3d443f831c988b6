"""Arguments that compiled code keeps in memory between calls.

Python hands over every array of a named tuple anew with each call, and every generator, which takes
a hundred times as long as a customer. Arguments that stay the same are therefore stored once, as
compiled code represents them. Only code without reference counts may use them, and whoever stores
them must keep the Python objects alive.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic


def size_of(kind: Any) -> int:
    """The number of bytes that a value of this type takes."""
    context = cpu_target.target_context
    return int(context.get_abi_sizeof(context.get_value_type(kind)))


@intrinsic
def _hold(typingctx: Any, address: Any, value: Any) -> Any:
    """Store a value at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place, given = arguments
        builder.store(given, builder.inttoptr(place, ir.PointerType(given.type)), align=1)
        return context.get_dummy_value()

    return types.void(types.int64, value), generate


hold: Any = _hold  # its type shows the compiler's argument as well


def holding(kind: Any) -> Any:
    """A function for compiled code: the value of this type that is stored at an address."""

    @intrinsic
    def held(typingctx: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = ir.PointerType(context.get_value_type(kind))
            return builder.load(builder.inttoptr(arguments[0], pointer), align=1)

        return kind(types.int64), generate

    return held
