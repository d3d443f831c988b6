"""Scales of axes, and labels for numbers and swept values."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import (
    EngFormatter,
    FuncFormatter,
    Locator,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
    SymmetricalLogLocator,
)
from numpy.typing import NDArray

_WIDE = 50.0  # ratio of values above which a logarithmic scale is used
_DECADES = 2.5  # axes of fewer decades have ticks at 2 and 5, too
_NARROW = 0.8  # axes of fewer decades have equidistant ticks
_PREFIXED = 1e6, 1e15  # numbers in this range are written as 1.2M or 3G
_NAMED = re.compile(r'[\w-]+ = "([^"]*)"')
_NESTED = re.compile(r"\w+ = \{ ([^{}]*) \}")  # a table in a table
_LONGEST = 48


def is_wide(values: Any) -> bool:
    """True if the largest value is many times the smallest positive one."""
    above = np.asarray(values, float)
    above = above[above > 0.0]
    return bool(len(above) and above.max() > _WIDE * above.min())


def decade(values: NDArray[np.float64]) -> float:
    """The power of ten at or below the smallest positive value."""
    return float(10.0 ** np.floor(np.log10(values[values > 0.0].min())))


class _Ticks(Locator):
    """Ticks of a logarithmic axis: powers of ten, with 2 and 5 if there is room."""

    def __call__(self) -> Any:
        return self.tick_values(*self.axis.get_view_interval())  # type: ignore[union-attr]

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """The ticks from `vmin` to `vmax`."""
        low, high = sorted((vmin, vmax))
        decades = np.log10(high / low) if low > 0.0 else np.inf
        if decades < _NARROW:
            return MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        locator = LogLocator(subs=[1.0, 2.0, 5.0] if decades < _DECADES else [1.0], numticks=9)
        return locator.tick_values(low, high)


def write_plainly(axis: Axis, linear: float = 0.0, highest: float = 0.0) -> None:
    """Label a logarithmic axis with plain numbers instead of powers of ten.

    An axis that includes 0 is linear up to `linear` and ends at about `highest`.
    """
    subs = [1.0, 2.0, 5.0] if highest < linear * 10**_DECADES else [1.0]
    symmetric = SymmetricalLogLocator(base=10.0, linthresh=linear or 1.0, subs=subs)
    axis.set_major_locator(symmetric if linear else _Ticks())
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axis.set_minor_formatter(NullFormatter())


def set_scale(axes: Axes, which: str, means: NDArray[np.float64], margin: float = 0.04) -> str:
    """Set a logarithmic scale for widely spread means, else one that includes 0; describe it.

    Call it last: it widens the limits so that everything drawn so far remains visible.
    """
    axis = axes.xaxis if which == "x" else axes.yaxis
    limit, get = (axes.set_xlim, axes.get_xlim) if which == "x" else (axes.set_ylim, axes.get_ylim)
    change = axes.set_xscale if which == "x" else axes.set_yscale
    if not is_wide(means) or means.min() < 0.0:
        low, high = get()
        high = max(high, (1.0 + margin) * means.max())
        limit(min(low, -margin * high), high)
        return ""
    if means.min() > 0.0:
        change("log")
        limit(0.6 * means.min(), max(get()[1], 1.2 * means.max()))
        write_plainly(axis)
    else:
        set_symlog(axes, which, decade(means), means.max())
        limit(-0.3 * decade(means), 1.6 * means.max())
    return " (log scale)"


def set_symlog(axes: Axes, which: str, linear: float, highest: float) -> None:
    """A scale that is logarithmic above `linear` and includes 0, with plain numbers."""
    change, axis = (axes.set_xscale, axes.xaxis) if which == "x" else (axes.set_yscale, axes.yaxis)
    change("symlog", linthresh=linear, linscale=0.5)
    write_plainly(axis, linear, highest)


def number(value: float) -> str:
    """A number for a label, with three significant digits.

    >>> [number(value) for value in (0.0, 0.005, 0.25, 3.14159, 1234.5, 2e6)]
    ['0', '0.005', '0.25', '3.14', '1,234', '2M']
    """
    if _PREFIXED[0] <= abs(value) < _PREFIXED[1]:
        return EngFormatter(sep="")(float(f"{value:.3g}"))
    return f"{value:,.0f}" if 1000 <= abs(value) < _PREFIXED[0] else f"{value:.3g}"


def ordered(values: pd.Series[Any]) -> list[Any]:
    """The distinct values of a swept setting: numbers sorted, others in their order."""
    found = list(values.drop_duplicates())
    return sorted(found) if pd.api.types.is_numeric_dtype(values) else found


def short(value: Any, width: int = 18) -> str:
    """A swept value for a figure, in a few short lines at most.

    >>> short('{ behaviour = "logit", tau = 0.1 }', 40)
    'logit, tau = 0.1'
    >>> short('{ offer = { rule = "least" }, knows = "customers" }', 40)
    'least, customers'
    """
    if value is None or value != value:
        return "not set"
    if not isinstance(value, str):
        return f"{value:.6g}" if abs(value) < 1e6 else str(value)
    text = _NESTED.sub(r"\1", _NAMED.sub(r"\1", value)).strip("{} ") or value
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    return textwrap.fill(text, width)
