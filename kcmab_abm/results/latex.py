"""Tables for papers, in LaTeX."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kcmab_abm.errors import MarketError

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
_DIGITS = 2  # of half the width of an interval, and of the mean to the same place
_PLAIN = 4  # digits of a number without an interval


def latex_table(
    table: pd.DataFrame,
    names: Mapping[str, str],
    columns: Sequence[str],
    repeated: Sequence[str],
    confidence: float = 0.95,
) -> str:
    """A `tabular` with the rules of the package booktabs.

    A column with an interval (`regret` with `regret_low` and `regret_high`) is written as its mean
    with half the width of the interval. `names` are the heads of columns, by default their own.
    Rows are grouped by the `repeated` columns, in the order in which they are asked for; there, a
    value that equals the one above is left out.
    """
    if missing := [each for each in columns if each not in table]:
        raise MarketError(
            f"columns: no column {missing[0]!r}; there are {', '.join(map(str, table.columns))}"
        )
    numeric = [pd.api.types.is_numeric_dtype(table[column]) for column in columns]
    heads = [escaped(names.get(each, each.replace("_", " "))) for each in columns]
    body: list[dict[str, str]] = []
    above: dict[str, str] = {}
    kept = [column for column in columns if column in repeated]
    order = [table[column].map(list(table[column].unique()).index) for column in kept]
    if order:  # stable, so that policies stay in their order
        table = table.iloc[np.lexsort(order[::-1])]
    for row in table.to_dict("records"):
        cells = {column: _cell(row, column) for column in columns}
        # Of nested groups, a new outer value starts all inner ones anew.
        new = next((place for place, c in enumerate(kept) if above.get(c) != cells[c]), len(kept))
        body.append({**cells, **dict.fromkeys(kept[:new], "")})
        above = cells
    told = rf"after a mean: half the width of its {100 * confidence:g} % interval"
    lines = [rf"% needs \usepackage{{booktabs}}; {told}", *_warnings(table, columns)]
    lines += [
        rf"\begin{{tabular}}{{{''.join('r' if each else 'l' for each in numeric)}}}",
        r"\toprule",
        rf"{' & '.join(heads)} \\",
        r"\midrule",
        *(rf"{' & '.join(row.values())} \\" for row in body),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _warnings(table: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """Comments in the table on intervals that are too narrow."""
    if not {"regret", "dynamic_regret"} & set(columns) or "few_locked_in" not in table:
        return []
    few = list(dict.fromkeys(table.loc[table["few_locked_in"], "policy"]))
    if not few:
        return []
    return [f"% regret: few runs locked in, so intervals are too narrow: {', '.join(few)}"]


def escaped(text: str) -> str:
    r"""A text without what LaTeX would take for a command.

    >>> print(escaped("eps_1 = 5 %"))
    eps\_1 = 5 \%
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def _cell(row: Mapping[Any, Any], column: str) -> str:
    value = row[column]
    if value is None or value != value:
        return "--"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return escaped(str(value))
    low, high = row.get(f"{column}_low", math.nan), row.get(f"{column}_high", math.nan)
    if low == low and high == high and column not in ("locked_in",):  # its interval is lopsided
        return f"${with_width(value, (high - low) / 2)}$"
    return f"${value}$" if isinstance(value, int) else f"${value:.{_PLAIN}g}$"


def with_width(mean: float, width: float) -> str:
    r"""A mean and half the width of its interval, both to the same place.

    >>> with_width(123.456, 7.89), with_width(0.01234, 0.00056), with_width(5.0, 0.0)
    ('123.5 \\pm 7.9', '0.01234 \\pm 0.00056', '5 \\pm 0')
    """
    if not (width > 0.0 and math.isfinite(width)):
        return rf"{mean:.{_PLAIN}g} \pm {width:g}"
    places = max(0, _DIGITS - 1 - math.floor(math.log10(width)))
    return rf"{mean:.{places}f} \pm {width:.{places}f}"
