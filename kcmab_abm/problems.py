"""Pydantic's complaints in the words of a scenario file: where, what was found, what is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from kcmab_abm.catalogue import unknown
from kcmab_abm.forms import keys_by_place

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
_KINDS = {
    "name": "policy",
    "behaviour": "behaviour",
    "law": "law",
    "process": "arrival process",
    "rule": "pricing rule",
    "kind": "kind of change",
}
# How many tags pydantic puts into a path below these tables: the shape of a value, its name.
_TAGS = {
    ("policy",): 1,
    ("market", "customers"): 1,
    ("market", "customers", "of"): 1,
    ("market", "arrivals"): 1,
    ("market", "change"): 1,
    ("market", "capacity"): 1,
    ("purse", "offer"): 1,
    ("market", "arms"): 2,
    ("market", "service_time"): 2,
    ("market", "report_delay"): 2,
    ("market", "patience"): 2,
}
_BARE = re.compile(r"[A-Za-z0-9_-]+")  # a key that TOML takes without quotes
_LONGEST = 60

Keys = dict[tuple[str, ...], list[str]]


def explain(
    error: ValidationError, settings: Mapping[str, Any], form: type[BaseModel]
) -> list[str]:
    """Every problem on a line of its own: `place: what is wrong`."""
    keys = keys_by_place(form)
    return [_line(dict(fault), settings, keys) for fault in error.errors(include_url=False)]


def _line(fault: dict[str, Any], settings: Mapping[str, Any], keys: Keys) -> str:
    kind, context, value = fault["type"], fault.get("ctx", {}), fault["input"]
    place = _place(fault["loc"], settings)
    if kind == "missing":
        return f"{place}: is required, and missing"
    if kind == "extra_forbidden":
        table = tuple(word for word in fault["loc"][:-1] if isinstance(word, str))
        word = str(fault["loc"][-1])[:_LONGEST]
        return f"{place}: {unknown('setting', word, keys.get(table, []))}"
    if kind == "union_tag_not_found":
        key = context["discriminator"].strip("'")
        return f"{_join(place, key)}: is required, and missing"
    if kind == "union_tag_invalid":
        key = context["discriminator"].strip("'")
        return f"{_join(place, key)}: {_unknown_tag(key, value[key], context['expected_tags'])}"
    if kind == "value_error":
        return f"{place}: {context['error']}"
    if kind in _MUST_BE:
        return f"{place}: must be {_allowed(kind, place, value, context)}, got {_shown(value)}"
    return f"{place}: {fault['msg']}, got {_shown(value)}"


def _unknown_tag(key: str, name: Any, tags: str) -> str:
    names = sorted(tag.strip(" '") for tag in tags.split(","))
    if isinstance(name, str):
        return unknown(_KINDS[key], name[:_LONGEST], names)
    return f"must be a text in quotes, one of: {', '.join(names)}; got {_shown(name)}"


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


def _place(loc: tuple[int | str, ...], settings: Any) -> str:
    """The path of a fault; tags that pydantic adds to it are not part of the file."""
    path = ""
    here: Any = settings
    keys: tuple[str, ...] = ()
    tags = 0
    for word in loc:
        if isinstance(word, str) and tags:
            tags -= 1
        elif isinstance(here, Mapping):
            path = _join(path, str(word))
            here = here.get(word)
            keys = (*keys, str(word))
            tags = _TAGS.get(keys, 0)
        elif isinstance(here, list) and isinstance(word, int):
            path += f"[{word}]"
            here = here[word] if word < len(here) else None
    return path or "the file"


def _join(path: str, key: str) -> str:
    word = key if _BARE.fullmatch(key) else _shown(key)
    return f"{path}.{word}" if path and path != "the file" else word


def _shown(value: Any) -> str:
    """What was found, on one line that is not too long."""
    if isinstance(value, dict):
        return "a table"
    try:
        text = value.isoformat() if hasattr(value, "isoformat") else repr(value)
    except (ValueError, RecursionError):
        return "more digits or brackets than can be shown"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
