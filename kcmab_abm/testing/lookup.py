"""What all checks begin and end with: find the entry, read its description, compare two plays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from kcmab_abm.catalogue.entries import Entry, Law
from kcmab_abm.catalogue.registry import Catalogue
from kcmab_abm.testing.plays import Steps

Item = TypeVar("Item", Entry, Law)


def found(catalogue: Catalogue[Item], given: str | Callable[..., Any]) -> Item:
    """The entry of this name, or the one to which this function belongs."""
    if isinstance(given, str):
        return catalogue[given]
    for item in catalogue.values():
        if given in item.functions.values():
            return item
    raise TypeError(f"{given!r} is not registered as a {catalogue.kind}; decorate it first")


def check_description(entry: Entry) -> None:
    """An entry and its parameters are described, and defaults lie within their ranges."""
    whose = f"{entry.kind} {entry.name!r}"
    assert entry.about.endswith("."), f"{whose}: the docstring must begin with a sentence"
    for word, parameter in entry.parameters.items():
        default = parameter.default
        fits = (
            (parameter.gt is None or default > parameter.gt)
            and (parameter.ge is None or default >= parameter.ge)
            and (parameter.lt is None or default < parameter.lt)
            and (parameter.le is None or default <= parameter.le)
        )
        assert fits, f"{whose}: the default of {word} is {default}; allowed are {parameter.range}"
        assert parameter.about, f"{whose}: parameter {word} needs a description"


def assert_repeatable(entry: Entry, plays: list[Steps]) -> None:
    """The same play twice is the same."""
    assert plays[0] == plays[1], (
        f"{entry.kind} {entry.name!r} does not repeat itself: draw from rng and keep nothing "
        "outside memory"
    )
