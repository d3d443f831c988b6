"""SciPy's special functions inside compiled code: the same library, called without Python."""

from __future__ import annotations

from typing import Any

import llvmlite.binding
from numba import types
from numba.extending import get_cython_function_address, overload
from scipy import special

_SIGNATURE = types.float64(types.float64, types.float64, types.float64, types.intc)


def _external(name: str) -> Any:
    """A function of three numbers, by a symbol: unlike a raw pointer, it survives in the cache."""
    module = "scipy.special.cython_special"
    symbol = f"kcmab_{name}"
    address = get_cython_function_address(module, f"__pyx_fuse_0{name}")
    llvmlite.binding.add_symbol(symbol, address)
    return types.ExternalFunction(symbol, _SIGNATURE)


_betaincinv = _external("betaincinv")


@overload(special.betaincinv)
def _compiled_betaincinv(a: Any, b: Any, y: Any) -> Any:
    def call(a: Any, b: Any, y: Any) -> Any:
        return _betaincinv(a, b, y, 0)

    return call
