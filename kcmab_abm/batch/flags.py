"""The processor's floating-point status flags, read inside compiled code.

Where Python raises, compiled code continues with an infinity or a NaN: the logarithm of 0, a root
of -1, an exponential that overflows. The processor records these in sticky flags, one set per
thread; reading them once per block costs nothing per customer. The compiler may also divide where
the result is not used, so a flag is a suspicion, not a proof.
"""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding
from numba import types
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

_READ_AND_CLEAR = 28  # PyUFunc_getfperr in NumPy's table of C functions, which only ever grows
TROUBLE = 1 | 2 | 8  # division by zero, overflow, invalid; underflow to 0 is harmless


def _address() -> int:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    table = pointer(_multiarray_umath._UFUNC_API, None)
    return int(ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[_READ_AND_CLEAR])


def _bind() -> Any:
    """A compiled function that returns the flags of this thread and clears them."""
    llvmlite.binding.add_symbol("kcmab_read_flags", _address())
    return types.ExternalFunction("kcmab_read_flags", types.intc())


read_flags = _bind()
