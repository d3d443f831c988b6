"""Compile the measures of a scenario into one function that counts a block of customers."""

from __future__ import annotations

import types
from functools import cache
from typing import Any

from kcmab_abm.batch.compile import Prepare, define, module_for
from kcmab_abm.catalogue.entries import Entry, fields_type
from kcmab_abm.catalogue.roles import ROLES


def counter_for(measures: tuple[Entry, ...], timed: bool) -> types.ModuleType:
    """The module that counts these measures of customers; compiled and kept like a kernel.

    Its driver is that of the kernel, so there is one for `timed` kernels and one for the others.
    """
    if all(measure.is_own for measure in measures):
        return _lasting_counter(measures, timed)
    return _counter(measures, timed)


@cache
def _lasting_counter(measures: tuple[Entry, ...], timed: bool) -> types.ModuleType:
    return _counter(measures, timed)


def _counter(measures: tuple[Entry, ...], timed: bool) -> types.ModuleType:
    return module_for(
        "counting",
        lambda prepare: {"count": _count(measures, prepare)},
        {"timed": timed},
        measures,
    )


def _count(measures: tuple[Entry, ...], prepare: Prepare) -> Any:
    """A function that writes what a customer adds to every measure.

    It is generated, because compiled code cannot loop over functions.
    """
    role = ROLES["measure"]["act"]
    asks = ", ".join(word for word in role.asks if word != "params")
    lines = [f"def act({asks}, values, counts):"]
    scope: dict[str, Any] = {}
    place = 0
    for k, measure in enumerate(measures):
        numbers = []
        for parameter in measure.parameters.values():
            numbers.append(f"{type(parameter.default).__name__}(values[{place}])")
            place += 1
        lines.append(f"    params = Params_{k}({', '.join(numbers)})")
        lines.append(f"    counts[{k}] = float(count_{k}({', '.join(role.asks)}))")
        scope[f"count_{k}"] = prepare(role, measure.act)
        scope[f"Params_{k}"] = fields_type(tuple(measure.parameters))
    return define("\n".join(lines), **scope)
