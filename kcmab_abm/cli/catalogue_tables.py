"""What `kcmab list` prints: the entries of the catalogue, with their settings."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Column, Table
from rich.text import Text

from kcmab_abm.catalogue.entries import Entry, Law
from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
)
from kcmab_abm.cli.tables import console
from kcmab_abm.scenario.random_arms import is_given_by_mean


def print_catalogue(kind: str | None) -> None:
    """Print all entries of a kind, or of all kinds, with their settings and descriptions."""
    tables = {
        "policies": _entry_table("Policies", POLICIES.values()),
        "behaviours": _entry_table("Behaviours", BEHAVIOURS.values()),
        "decisions": _entry_table("Decisions", DECISIONS.values()),
        "pricing": _entry_table("Pricing rules", PRICING.values()),
        "disclosures": _entry_table("Disclosures", DISCLOSURES.values()),
        "measures": _entry_table("Measures", MEASURES.values()),
        "laws": _law_table(LAWS.values()),
    }
    console().print(*(tables.values() if kind is None else [tables[kind]]))


def _entry_table(title: str, entries: Iterable[Entry]) -> Table:
    name = Column("name", no_wrap=True)
    table = Table(name, "description", "settings", "from", title=title, show_lines=True)
    for entry in entries:
        settings = "\n".join(
            f"{word} = {parameter.shown} ({parameter.range}): {parameter.about}"
            for word, parameter in entry.parameters.items()
        )
        fields = entry.settings.model_fields if entry.settings else {}
        settings += "".join(f"\n{word}: {field.description}" for word, field in fields.items())
        if entry.compose:
            settings = "of: the kinds of customers, each with its settings and a weight"
        table.add_row(*map(Text, [entry.name, entry.about, settings, entry.cites]))
    return table


def _law_table(laws: Iterable[Law]) -> Table:
    table = Table("name", "description", "settings", title="Laws", show_lines=True)
    for law in laws:
        fields = law.settings.model_fields
        settings = "\n".join(f"{word}: {field.description or ''}" for word, field in fields.items())
        if is_given_by_mean(law):
            settings += "\ncount: with a prior of the means, the number of arms"
        table.add_row(*map(Text, [law.name, law.about, settings]))
    return table
