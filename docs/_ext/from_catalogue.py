"""The catalogue in Markdown: what each entry does, its settings, where it is from, its source."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from pages_text import cell, plain, table

from kcmab_abm.catalogue.entries import LARGEST_WHOLE
from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
    Catalogue,
)
from kcmab_abm.scenario.schema import json_schema

THEORY = Path(__file__).parents[1] / "theory"
KINDS: dict[str, Catalogue[Any]] = {
    "policies": POLICIES,
    "behaviours": BEHAVIOURS,
    "decisions": DECISIONS,
    "pricing": PRICING,
    "disclosures": DISCLOSURES,
    "measures": MEASURES,
    "laws": LAWS,
}
KEYS = {"name", "label", "behaviour", "rule", "measure", "law"}  # what every entry has
LIMITS = {"exclusiveMinimum": ">", "minimum": ">=", "exclusiveMaximum": "<", "maximum": "<="}


def own_entries(kind: str) -> list[Any]:
    """The package's own entries of a kind, by name."""
    return [KINDS[kind][name] for name in KINDS[kind].own_names()]


def entries(kind: str) -> Iterator[str]:
    """All entries of a kind, as a page of the reference."""
    for entry in own_entries(kind):
        yield from _entry(entry, settings_of(entry))


def settings_of(entry: Any) -> dict[str, Any]:
    """The settings of an entry, as the JSON Schema describes them."""
    for each in _schema()["$defs"].values():
        fields: dict[str, Any] = each.get("properties", {})
        if each["title"] == f"{entry.kind} {entry.name}" and "weight" not in fields:
            return fields  # with a weight it is one kind of a mixture
    raise LookupError(entry.name)


@cache
def _schema() -> dict[str, Any]:
    return json_schema()


def _entry(entry: Any, fields: dict[str, Any]) -> Iterator[str]:
    yield from [f"## `{entry.name}`", "", plain(entry.about), ""]
    if entry.cites:
        yield from [f"From: {plain(entry.cites)}.", ""]
    if pages := ", ".join(f"[{title}](../theory/{file})" for title, file in _theory(entry)):
        yield from [f"The theory: {pages}.", ""]
    if rows := list(settings_rows(fields, KEYS)):
        yield from table(("setting", "default", "allowed", "meaning"), rows)
    else:
        yield "There is nothing to set."
    file = source_file(entry)
    yield from ["", f"Source: [`{file}`](../../{file})", ""]


def settings_rows(fields: dict[str, Any], but: Container[str]) -> Iterator[tuple[str, ...]]:
    """What a table of a file may set: name, default, what is allowed, what it means."""
    for name, field in fields.items():
        if name not in but:
            meaning = cell(field.get("description", ""))
            yield f"`{name}`", _default(field), _allowed(field), meaning


def source_file(entry: Any) -> str:
    """Where an entry is written, from the root of the repository."""
    return f"{entry.module.replace('.', '/')}.py"


def _theory(entry: Any) -> list[tuple[str, str]]:
    """Find the pages that show the code of an entry, the one of its own name first."""
    pages = [page for page in sorted(THEORY.glob("*.md")) if source_file(entry) in _text(page)]
    pages.sort(key=lambda page: page.stem != entry.name)
    return [(_text(page).partition("\n")[0].removeprefix("# "), page.name) for page in pages]


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _default(field: dict[str, Any]) -> str:
    """Show a default as a scenario file writes it."""
    value = field.get("default")
    if value is None:
        return ""
    if isinstance(value, dict):
        return " ".join(["`{", *(f'{key} = "{each}"' for key, each in value.items()), "}`"])
    if value == "":
        return '`""`'
    return f"`{value:g}`" if type(value) is float else f"`{value}`".replace("'", '"').lower()


def _allowed(field: dict[str, Any]) -> str:
    """Say in words what a JSON Schema lets through."""
    if "anyOf" in field:
        return _allowed(field["anyOf"][0])  # the other is null: not given
    if "oneOf" in field:
        return " or ".join(dict.fromkeys(map(_allowed, field["oneOf"])))
    if "$ref" in field or field.get("type") == "object":
        return "a table"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if field.get("type") == "array":
        return f"list of {_allowed(field['items'])}".replace("a table", "tables")
    if field.get("type") == "boolean":
        return "true or false"
    limits = " and ".join(
        f"{sign} {field[word]:g}"
        for word, sign in LIMITS.items()
        if word in field and field[word] != LARGEST_WHOLE
    )
    kind = "whole number" if field["type"] == "integer" else field["type"]
    return cell(f"{kind} {limits}")
