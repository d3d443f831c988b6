"""SciPy's special functions inside compiled code: the same library, called without Python."""

from __future__ import annotations

from typing import Any

import llvmlite.binding
from numba import types
from numba.extending import get_cython_function_address, overload
from scipy.special import betaincinv

_SYMBOL = "kcmab_betaincinv"
_ADDRESS = get_cython_function_address("scipy.special.cython_special", "__pyx_fuse_0betaincinv")
_SIGNATURE = types.float64(types.float64, types.float64, types.float64, types.intc)

# A named symbol, unlike a raw pointer, survives in numba's cache on disk.
llvmlite.binding.add_symbol(_SYMBOL, _ADDRESS)
_betaincinv: Any = types.ExternalFunction(_SYMBOL, _SIGNATURE)


@overload(betaincinv)
def _compiled_betaincinv(a: Any, b: Any, y: Any) -> Any:
    def call(a: Any, b: Any, y: Any) -> Any:
        return _betaincinv(a, b, y, 0)

    return call
