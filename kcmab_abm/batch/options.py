"""How the batch engine compiles: without the interpreter's lock, its machine code kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function, **options: Any) -> Function:
    """Compile code that allocates nothing, and keep the machine code beside the source.

    It needs no reference counts (`_nrt`), which would cost more than all the rest.
    """
    options |= {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
    ready: Function = njit(**options)(function)
    return ready


def compiled_inside(function: Function) -> Function:
    """Compile what compiled code alone calls.

    Python would need a wrapper, which takes as long to compile as a simple policy does.
    """
    return compiled(function, no_cpython_wrapper=True)


def compiled_into(function: Function) -> Function:
    """Compile a function into whatever calls it."""
    return compiled(function, forceinline=True)
