"""Scenarios as the text of a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, RootModel

from kcmab_abm.scenario.messages import validated
from kcmab_abm.scenario.paths import given, written, written_key
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.schema import scenario_table


def toml_text(scenario: Scenario) -> str:
    """Return a scenario file that `load_scenario` reads as this scenario.

    Settings that equal their defaults are left out.

    Parameters
    ----------
    scenario : Scenario
        The scenario.

    Returns
    -------
    str
        The text in TOML.

    Examples
    --------
    >>> from kcmab_abm import make_scenario
    >>> arms = {"law": "bernoulli", "means": [0.9, 0.8]}
    >>> settings = {"horizon": 50, "market": {"arms": arms}, "policy": [{"name": "ucb"}]}
    >>> print(toml_text(make_scenario(settings)), end="")
    horizon = 50
    <BLANKLINE>
    [market]
    arms = { law = "bernoulli", means = [0.9, 0.8] }
    <BLANKLINE>
    [[policy]]
    name = "ucb"
    """
    settings = _trimmed(validated(scenario_table(), scenario.settings))
    policies = settings.pop("policy")
    tables = {word: value for word, value in settings.items() if isinstance(value, Mapping)}
    plain = {word: value for word, value in settings.items() if word not in tables}
    blocks = ["\n".join(_lines(plain))]
    blocks += [_block(f"[{written_key(word)}]", table) for word, table in tables.items()]
    blocks += [_block("[[policy]]", given(table)) for table in policies]
    return "\n\n".join(blocks) + "\n"


def _trimmed(table: BaseModel) -> dict[str, Any]:
    """The settings of a table, without tables in it that only repeat the defaults."""
    if isinstance(table, RootModel):
        return given(table)
    found = {
        word: _trimmed(value) if isinstance(value, BaseModel) else value
        for word, value in given(table).items()
    }
    fields = type(table).model_fields
    trimmed = {word: value for word, value in found.items() if value != fields[word].default}
    return {**trimmed, **(table.model_extra or {})}


def _block(head: str, entries: Mapping[str, Any]) -> str:
    return "\n".join([head, *_lines(entries)])


def _lines(entries: Mapping[str, Any]) -> list[str]:
    return [f"{written_key(word)} = {written(value)}" for word, value in entries.items()]
