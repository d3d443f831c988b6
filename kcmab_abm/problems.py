"""Pydantic's complaints in the words of a scenario file: where, what was found, what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from kcmab_abm.catalogue import unknown
from kcmab_abm.forms import keys_by_place

_MUST_BE = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "a text in quotes",
    "list_type": "a list in [ ]",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "greater_than": "> {gt:g}",
    "greater_than_equal": ">= {ge:g}",
    "less_than": "< {lt:g}",
    "less_than_equal": "<= {le:g}",
    "literal_error": "{expected}",
    "too_short": "a list of at least {min_length} entries",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
}
_KINDS = {"name": "policy", "behaviour": "behaviour", "law": "law", "process": "arrival process"}
_LONGEST = 60


def explain(
    error: ValidationError, settings: Mapping[str, Any], form: type[BaseModel]
) -> list[str]:
    """Every problem on a line of its own: `place: what is wrong`."""
    keys = keys_by_place(form)
    return [_line(dict(fault), settings, keys) for fault in error.errors(include_url=False)]


def _line(
    fault: dict[str, Any], settings: Mapping[str, Any], keys: dict[tuple[str, ...], list[str]]
) -> str:
    kind, context = fault["type"], fault.get("ctx", {})
    place = _place(fault["loc"], settings)
    found = _shown(fault["input"])
    if kind == "missing":
        return f"{place}: is required, and missing"
    if kind == "extra_forbidden":
        table = tuple(word for word in fault["loc"][:-1] if isinstance(word, str))
        return f"{place}: {unknown('setting', fault['loc'][-1], keys[table])}"
    if kind == "union_tag_not_found":
        key = context["discriminator"].strip("'")
        return f"{_join(place, key)}: is required, and missing"
    if kind == "union_tag_invalid":
        key = context["discriminator"].strip("'")
        names = [name.strip(" '") for name in context["expected_tags"].split(",")]
        name = fault["input"].get(key, context["tag"])
        return f"{_join(place, key)}: {unknown(_KINDS[key], name, sorted(names))}"
    if kind == "value_error":
        return f"{place}: {context['error']}"
    if kind in _MUST_BE:
        return f"{place}: must be {_MUST_BE[kind].format(**context)}, got {found}"
    return f"{place}: {fault['msg']}, got {found}"


def _place(loc: tuple[int | str, ...], settings: Any) -> str:
    """The path of a fault; tags that pydantic adds to it are not part of the file."""
    path = ""
    here: Any = settings
    for step, word in enumerate(loc):
        last = step == len(loc) - 1
        if isinstance(word, int) and isinstance(here, list):
            path += f"[{word}]"
            here = here[word] if word < len(here) else None
        elif isinstance(here, Mapping) and (word in here or (last and not _is_tag(word, here))):
            path = _join(path, str(word))
            here = here.get(word)
    return path or "the file"


def _is_tag(word: int | str, table: Mapping[str, Any]) -> bool:
    return word in ("table", "list", "number") or word in table.values()


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path and path != "the file" else key


def _shown(value: Any) -> str:
    text = "a table" if isinstance(value, dict) else repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
