"""Translate pydantic's errors: the place in the file, what was found, what is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kcmab_abm.catalogue.registry import BEHAVIOURS, some_of, unknown
from kcmab_abm.errors import ScenarioError
from kcmab_abm.scenario.paths import LONGEST, short

_MUST_BE = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "a text in quotes",
    "list_type": "a list in [ ]",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "greater_than": "> {gt}",
    "greater_than_equal": ">= {ge}",
    "less_than": "< {lt}",
    "less_than_equal": "<= {le}",
    "literal_error": "{expected}",
    "too_short": "a list of {min_length} or more entries",
    "too_long": "a list of at most {max_length} entries",
    "string_too_short": "a text of {min_length} or more characters",
    "string_too_long": "a text of at most {max_length} characters",
}
_NOUNS = {
    "name": "policy",
    "behaviour": "behaviour",
    "law": "law",
    "process": "arrival process",
    "rule": "pricing rule",
    "kind": "kind of change",
    "measure": "measure",
    "prior": "prior",
}
_BARE = re.compile(r"[A-Za-z0-9_-]+")  # a key that TOML takes without quotes

Table = TypeVar("Table", bound=BaseModel)
Node = Mapping[str, Any]  # of the schema in which pydantic keeps a model


def validated(model: type[Table], settings: Any) -> Table:
    """Return the table of some settings; raise an error with one line per problem."""
    try:
        return model.model_validate(settings)
    except ValidationError as error:
        places = _Places(model)
        faults = error.errors(include_url=False)
        raise ScenarioError([_line(dict(fault), places) for fault in faults]) from None


class _Places:
    """The places in a file of the settings of a model."""

    def __init__(self, model: type[BaseModel]) -> None:
        whole: Any = model.__pydantic_core_schema__
        self._shared = {each["ref"]: each for each in whole.get("definitions", [])}
        self._whole: Node = whole

    def find(self, loc: tuple[int | str, ...]) -> tuple[str, list[str]]:
        """Return the path of a setting as written in messages, and the keys of its table.

        Pydantic's paths include the chosen members of unions, which a file does not name.
        """
        path, here = "", self._unwrapped(self._whole)
        for word in loc:
            if here["type"] == "tagged-union":
                inner = here["choices"][word]
            elif here["type"] == "list":
                path, inner = f"{path}[{word}]", here["items_schema"]
            else:
                path = _join(path, str(word))
                inner = here.get("values_schema") or here.get("fields", {}).get(word)
                inner = inner or here.get("extras_schema")
            here = self._unwrapped(inner or {"type": "any"})
        return path or "the file", list(here.get("fields", ()))

    def _unwrapped(self, node: Node) -> Node:
        while "schema" in node or node["type"] == "definition-ref":
            node = node["schema"] if "schema" in node else self._shared[node["schema_ref"]]
        return node


def _line(fault: dict[str, Any], places: _Places) -> str:
    kind, context, value = fault["type"], fault.get("ctx", {}), fault["input"]
    place, _ = places.find(fault["loc"])
    if kind == "missing":
        return f"{place}: required, but missing"
    if kind == "extra_forbidden":
        if place.endswith(".decision"):
            able = [name for name, each in BEHAVIOURS.items() if each.value]
            return (
                f"{place}: behaviour {fault['loc'][-2]!r} decides by a rule of its own; a decision "
                f"can follow: {', '.join(able)}"
            )
        _, keys = places.find(fault["loc"][:-1])
        return f"{place}: {unknown('setting', str(fault['loc'][-1])[:LONGEST], keys)}"
    if kind == "union_tag_not_found":
        key = context["discriminator"].strip("'")
        return f"{_join(place, key)}: required, but missing"
    if kind == "union_tag_invalid":
        key = context["discriminator"].strip("'")
        owner = place.rpartition(".")[2]
        noun = owner if owner in ("decision", "disclosure") else _NOUNS[key]
        return f"{_join(place, key)}: {_unknown_tag(noun, value[key], context['expected_tags'])}"
    if kind == "value_error":
        return f"{place}: {context['error']}"
    if kind in _MUST_BE:
        return f"{place}: must be {_allowed(kind, place, value, context)}, got {_shown(value)}"
    return f"{place}: {fault['msg']}, got {_shown(value)}"


def _unknown_tag(noun: str, name: Any, tags: str) -> str:
    names = sorted(tag.strip(" '") for tag in tags.split(","))
    if isinstance(name, str):
        return unknown(noun, name[:LONGEST], names)
    return f"must be a text in quotes, one of: {some_of(names)}; got {_shown(name)}"


def _allowed(kind: str, place: str, value: Any, context: dict[str, Any]) -> str:
    if kind == "list_type" and place == "policy":
        return "tables that begin with [[policy]]"
    if kind == "list_type" and place.startswith("sweep.grid."):
        return "a list in [ ] (is the path one key, in quotes?)"
    if kind == "float_type" and isinstance(value, int) and not isinstance(value, bool):
        return "a finite number"  # a whole number that no float can hold
    limits = {
        word: f"{each:g}" if isinstance(each, float) else each for word, each in context.items()
    }
    return _MUST_BE[kind].format(**limits)


def _join(path: str, key: str) -> str:
    word = key if _BARE.fullmatch(key) and len(key) <= LONGEST else _shown(key)
    return f"{path}.{word}" if path and path != "the file" else word


def _shown(value: Any) -> str:
    """Return what was found as one short line."""
    if isinstance(value, dict | BaseModel):
        return "a table"
    try:
        text = value.isoformat() if hasattr(value, "isoformat") else repr(value)
    except (ValueError, RecursionError):
        return "more digits or brackets than can be shown"
    return short(text)
