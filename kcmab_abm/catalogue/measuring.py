"""The decorator that puts measures into the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from kcmab_abm.catalogue.entries import Entry, Kind, Parameter
from kcmab_abm.catalogue.registry import MEASURES
from kcmab_abm.catalogue.roles import ROLES
from kcmab_abm.catalogue.signatures import check_function, check_name, check_settings
from kcmab_abm.errors import MarketError

PlainFunction = TypeVar("PlainFunction", bound=Callable[..., Any])


def measure(
    name: str,
    *,
    of: Literal["customer", "run"] = "customer",
    cites: str = "",
    **parameters: Parameter,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register a measure: a function that returns what a customer adds to it, or a whole run.

    Parameters
    ----------
    name
        The name in scenario files: lower-case words joined by hyphens.
    of : {"customer", "run"}
        What the function is called for. A measure of customers is the sum of what it returns for
        each of them, and is known at every checkpoint. A measure of a run is what it returns for
        the arrays of a whole trajectory: it costs the memory of one, and is known at the end only.
    cites
        Where the measure comes from.
    parameters
        The settings of the measure, each a `Parameter`.

    Returns
    -------
    A decorator for `count`. It may ask for t, horizon, target, offer, arm (-1: she left), payment,
    reward, regret, wait, kind (her place in a mixture; -1: she was directed to an arm without a
    report), value (what the arm is worth to her), seeded and params; of a run, for horizon, clock,
    targets, offers, arms, payments, rewards, regrets, waits, seeded and params.

    Examples
    --------
    >>> from kcmab_abm import measure
    >>> @measure("takings")
    ... def count(reward, payment):
    ...     '''The rewards less the payments.'''
    ...     return reward - payment
    """
    check_name("measure", name)
    if of not in ("customer", "run"):
        raise MarketError(f"measure {name!r}: of must be 'customer' or 'run', got {of!r}")
    kind: Kind = "measure" if of == "customer" else "run measure"
    check_settings(kind, name, parameters, {}, ["of", "cites"])

    def keep(function: PlainFunction) -> PlainFunction:
        MEASURES.check_name(name, str(getattr(function, "__module__", "")))
        fields = {"params": tuple(parameters)}
        check_function(f"{kind} {name!r}", ROLES[kind]["act"], function, fields)
        MEASURES.add(Entry(kind, name, function, parameters=dict(parameters), cites=cites))
        return function

    return keep
