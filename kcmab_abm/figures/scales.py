"""Which scale a set of numbers is read on best, and how swept values are written beside an axis."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, SymmetricalLogLocator
from numpy.typing import NDArray

_WIDE = 50.0  # ratio from which on a logarithmic scale shows more
_DECADES = 2.5  # up to so many, 2 and 5 are written beside 1 and 10
_NAMED = re.compile(r'[\w-]+ = "([^"]*)"')
_LONGEST = 48


def is_wide(values: Any) -> bool:
    """Whether the largest of the values is many times the smallest that is above nought."""
    above = np.asarray(values, float)
    above = above[above > 0.0]
    return bool(len(above) and above.max() > _WIDE * above.min())


def decade(values: NDArray[np.float64]) -> float:
    """The power of ten at or below the smallest value above nought."""
    return float(10.0 ** np.floor(np.log10(values[values > 0.0].min())))


def set_scale(axes: Axes, which: str, means: NDArray[np.float64]) -> str:
    """Set a logarithmic scale for wide means, else one that shows nought; what it is in words.

    Call it when all is drawn: the limits are stretched, never drawn in over what is there.
    """
    axis = axes.xaxis if which == "x" else axes.yaxis
    limit, get = (axes.set_xlim, axes.get_xlim) if which == "x" else (axes.set_ylim, axes.get_ylim)
    change = axes.set_xscale if which == "x" else axes.set_yscale
    if not is_wide(means) or means.min() < 0.0:
        low, high = get()
        limit(min(low, -0.04 * high), high)
        return ""
    if means.min() > 0.0:
        change("log")
        limit(0.6 * means.min(), max(get()[1], 1.2 * means.max()))
        axis.set_major_locator(LogLocator(subs=_ticks(means)))
    else:
        change("symlog", linthresh=decade(means), linscale=0.5)
        axis.set_major_locator(
            SymmetricalLogLocator(base=10.0, linthresh=decade(means), subs=_ticks(means))
        )
        limit(-0.3 * decade(means), 1.6 * means.max())
    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axis.set_minor_formatter(NullFormatter())
    return ", logarithmic"


def _ticks(means: NDArray[np.float64]) -> list[float]:
    few = np.log10(means.max() / means[means > 0.0].min()) < _DECADES
    return [1.0, 2.0, 5.0] if few else [1.0]


def number(value: float) -> str:
    """A number for a label: as short as three digits allow.

    >>> [number(value) for value in (0.0, 0.005, 0.25, 3.14159, 1234.5)]
    ['0', '0.005', '0.25', '3.14', '1,234']
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def ordered(values: pd.Series[Any]) -> list[Any]:
    """The different values of a swept setting: numbers by size, others as they come."""
    found = list(values.drop_duplicates())
    return sorted(found) if pd.api.types.is_numeric_dtype(values) else found


def short(value: Any, width: int = 18) -> str:
    """A swept value for a figure, a few short lines at most.

    >>> short('{ behaviour = "logit", tau = 0.1 }', 40)
    'logit, tau = 0.1'
    """
    if value is None or value != value:
        return "not set"
    if not isinstance(value, str):
        return f"{value:.6g}" if abs(value) < 1e6 else str(value)
    text = _NAMED.sub(r"\1", value).strip("{} ") or value
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    return textwrap.fill(text, width)
