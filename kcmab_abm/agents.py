"""From checked tables of a scenario file to policies and customers with their parameters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from kcmab_abm.catalogue import BEHAVIOURS, POLICIES
from kcmab_abm.entries import Entry, Number
from kcmab_abm.shapes import LARGEST_MARKET
from kcmab_abm.world import Choice


def make_policies(
    tables: list[dict[str, Any]], arms: int, problems: list[str]
) -> tuple[Choice, ...]:
    """The policies of the file, each with a label of its own."""
    entries = [POLICIES.find(table["name"]) for table in tables]
    names = Counter(entry.name for entry in entries)
    choices: list[Choice] = []
    for place, (table, entry) in enumerate(zip(tables, entries, strict=True)):
        values = _values(entry, table)
        label = table.get("label") or _label(entry, values, alone=names[entry.name] == 1)
        taken = [choice.label for choice in choices]
        if label in taken:
            problems.append(
                f"policy[{place}].label: {label!r} is already the label of "
                f"policy[{taken.index(label)}]; give each policy a label of its own"
            )
        choices.append(make_choice(entry, label, table))
    for place, choice in enumerate(choices):
        check_memory(f"policy[{place}]", choice, arms, problems)
    return tuple(choices)


def make_customers(table: Mapping[str, Any]) -> Choice:
    """The customers' behaviour; of several kinds if it is a mixture."""
    entry = BEHAVIOURS.find(table["behaviour"])
    if entry.compose is None:
        return make_choice(entry, entry.name, table)
    given = [each for each in table["of"] if each["weight"] > 0.0] or table["of"][:1]
    parts = [make_customers(each) for each in given]
    total = math.fsum(each["weight"] for each in given)
    shares = [each["weight"] / total if total else 1.0 for each in given]
    values = (*shares, *(value for part in parts for value in part.values))
    settings = [
        {**dict(zip(part.entry.parameters, part.values, strict=True)), **part.extras}
        for part in parts
    ]
    entry = entry.compose(tuple(part.entry for part in parts))
    return Choice(entry, entry.name, values, {"of": settings})


def make_choice(entry: Entry, label: str, table: Mapping[str, Any]) -> Choice:
    """An entry of the catalogue with the parameters that a table gives it."""
    extra = entry.settings.model_fields if entry.settings else ()
    return Choice(entry, label, _values(entry, table), {word: table.get(word) for word in extra})


def _values(entry: Entry, table: Mapping[str, Any]) -> tuple[Number, ...]:
    return tuple(type(p.default)(table[word]) for word, p in entry.parameters.items())


def _label(entry: Entry, values: tuple[Number, ...], alone: bool) -> str:
    if alone or not values:
        return entry.name
    settings = (f"{word}={value:g}" for word, value in zip(entry.parameters, values, strict=True))
    return f"{entry.name} ({', '.join(settings)})"


def check_memory(place: str, choice: Choice, arms: int, problems: list[str]) -> None:
    """See whether what an agent would remember can be made for so many arms."""
    try:
        choice.blank_memory(min(arms, LARGEST_MARKET))
    except ValueError as error:
        problems.append(f"{place}: {error}")
