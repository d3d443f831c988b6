"""Compiler options of the batch engine: no interpreter lock, no reference counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function, **more: Any) -> Function:
    """Compile a function that allocates nothing.

    It needs no reference counts (`_nrt`), which would cost more than everything else.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, **more}
    ready: Function = njit(**options)(function)
    return ready


def compiled_entry(function: Function) -> Function:
    """Compile a function that Python calls, with reference counts.

    Numba takes a reference to every generator it is given, and releases it only in such code.
    """
    return compiled(function, _nrt=True, no_cfunc_wrapper=True)


def compiled_inside(function: Function) -> Function:
    """Compile a function that only compiled code calls.

    A wrapper for Python would take as long to compile as a simple policy.
    """
    return compiled(function, no_cpython_wrapper=True)


def compiled_inline(function: Function) -> Function:
    """The same, inlined wherever it is called: passing arrays costs more than a short function."""
    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return compiled(function, **wrappers, forceinline=True)
