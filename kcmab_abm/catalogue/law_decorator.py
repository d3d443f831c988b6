"""The decorator that puts reward laws into their catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from kcmab_abm.catalogue.decorators import PlainFunction
from kcmab_abm.catalogue.entries import Law, LawSettings
from kcmab_abm.catalogue.registry import LAWS, unknown
from kcmab_abm.catalogue.roles import ROLES
from kcmab_abm.catalogue.signatures import check_function, check_name
from kcmab_abm.errors import MarketError


def law(
    name: str,
    *,
    settings: type[LawSettings],
    mean: Callable[..., float],
    variance: Callable[..., float],
    **parts: Any,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register a reward law: `reward(u, row)`, its quantile function on [0, 1].

    Parameters
    ----------
    name
        The name in scenario files: lower-case words joined by hyphens.
    settings
        A class of `LawSettings`: what a file says of the arms, and their rows of numbers.
    mean, variance
        The moments of an arm, as functions of its row.
    parts
        The optional fields of `Law`: cites, density, atoms, move, within, tabulate.

    Returns
    -------
    A decorator for `reward`.
    """
    check_name("law", name)
    unknown_parts = parts.keys() - {part.name for part in fields(Law)}
    if unknown_parts:
        allowed = [part.name for part in fields(Law)][5:]
        raise MarketError(f"law {name!r}: {unknown('setting', min(unknown_parts), allowed)}")
    for word, each in {"mean": mean, "variance": variance}.items():
        if not callable(each):
            raise MarketError(f"law {name!r}: {word} must be a function of a row, got {each!r}")
    if not (isinstance(settings, type) and issubclass(settings, LawSettings)):
        raise MarketError(
            f"law {name!r}: settings must be a class of LawSettings, got {settings!r}"
        )

    def keep(function: PlainFunction) -> PlainFunction:
        law = Law(name, function, mean, variance, settings, **parts)
        LAWS.check_name(name, str(getattr(function, "__module__", "")))
        for field, each in law.functions.items():
            check_function(f"law {name!r}", ROLES["law"][field], each)
        LAWS.add(law)
        return function

    return keep
