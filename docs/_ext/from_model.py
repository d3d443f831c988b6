"""Tables of the model description: submodels from the catalogue, parameters from the schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from from_catalogue import KEYS, own_entries, settings_of, settings_rows
from pages_text import cell, plain, table

from kcmab_abm.scenario.market_table import MarketTable
from kcmab_abm.scenario.purse import PurseTable
from kcmab_abm.scenario.schema import ScenarioTable, json_schema

WHOLE = "kcmab scenario"
DOCUMENTED = {WHOLE: ScenarioTable, "market": MarketTable, "purse": PurseTable}
CALLED = {
    WHOLE: "The file",
    "market": "`[market]`",
    "purse": "`[purse]`",
    "PrecisionTable": "`precision`",
    "SweepTable": "`[sweep]`",
    "SampleTable": "`sample` in `[sweep]`",
    "RangeTable": "A range in `[sweep]`",
    "LabelsTable": "Labels in `[sweep]`",
}
ALTERNATIVES = {  # the key that tells them apart, and what they are alternatives for
    "process": "`arrivals`",
    "kind": "`change`",
    "law": "A duration",
    "prior": "`means` of random arms",
}
OF_THE_CATALOGUE = (
    *("policy ", "behaviour ", "decision ", "pricing rule ", "disclosure ", "measure "),
    *("run measure ", "law "),
)


def submodels(kind: str) -> Iterator[str]:
    """All entries of a kind: name, rule, settings, source."""
    yield from table(
        ("name", "rule", "settings", "from"),
        (
            (
                f"[`{each.name}`](reference/{kind}.md#{each.name})",
                cell(each.about),
                ", ".join(f"`{name}`" for name in settings_of(each) if name not in KEYS),
                cell(each.cites),
            )
            for each in own_entries(kind)
        ),
    )


def parameters() -> Iterator[str]:
    """Every table of a scenario file that is not one of the catalogue, with its settings."""
    for name, each in scenario_tables().items():
        about = DOCUMENTED[name].__doc__ if name in DOCUMENTED else each.get("description")
        yield from [f"**{_heading(name, each)}.** {plain(about or '')}", ""]
        if rows := list(settings_rows(each.get("properties", {}), ALTERNATIVES)):
            yield from [*table(("setting", "default", "allowed", "meaning"), rows), ""]


def scenario_tables() -> dict[str, Any]:
    """These tables of the JSON Schema by their titles, the whole file first."""
    whole = json_schema()
    every = {WHOLE: whole, **{each["title"]: each for each in whole["$defs"].values()}}
    own = {name: every[name] for name in every if not name.startswith(OF_THE_CATALOGUE)}
    alternatives = sorted(set(own) - set(CALLED), key=lambda name: _heading(name, own[name]))
    return {name: own[name] for name in (*CALLED, *alternatives)}


def _heading(name: str, fields: dict[str, Any]) -> str:
    """What a table is called; of alternatives, how a file chooses it."""
    for word, what in ALTERNATIVES.items():
        if chosen := fields.get("properties", {}).get(word, {}).get("const"):
            return f'{what}, `{word} = "{chosen}"`'
    return CALLED.get(name, name)
