"""Paths of settings, such as `policy[1].epsilon`: look up and change settings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, RootModel

from kcmab_abm.errors import ScenarioError

_KEY = r"[A-Za-z0-9_-]+"
_STEP = re.compile(rf"\.?(?P<key>{_KEY})|\[(?P<entry>0|[1-9][0-9]{{0,8}})\]")
_PATH = re.compile(rf"{_KEY}(\.{_KEY}|\[(0|[1-9][0-9]{{0,8}})\])*")
LONGEST = 60  # characters of a value in a message

Steps = tuple[str | int, ...]


def fault(path: object) -> str:
    """Say what is wrong with a path; '' if nothing."""
    if isinstance(path, str) and _PATH.fullmatch(path):
        return ""
    return (
        f"{short(repr(path))} is not the path of a setting; write it as in "
        "'market.customers.tau' or 'policy[1].epsilon', entries counted from 0"
    )


@lru_cache
def steps(path: str) -> Steps:
    """Split a path into keys and places.

    >>> steps("policy[1].epsilon")
    ('policy', 1, 'epsilon')
    """
    found = _STEP.finditer(path)
    return tuple(step["key"] if step["entry"] is None else int(step["entry"]) for step in found)


def look_up(settings: Any, path: Steps) -> Any:
    """Return the value at a path; None if there is none."""
    for step in path:
        if isinstance(step, str):
            settings = settings.get(step) if isinstance(settings, Mapping) else None
        else:
            has = isinstance(settings, list) and step < len(settings)
            settings = settings[step] if has else None
    return settings


def given(table: BaseModel) -> dict[str, Any]:
    """Return the settings of a table that differ from their defaults."""
    if isinstance(table, RootModel):
        return dict(table.root)
    fields = type(table).model_fields.items()
    values = table.__dict__
    return {word: values[word] for word, field in fields if values[word] != field.default}


def changed(table: BaseModel, point: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a table with new values at some paths.

    Tables that no path leads into are reused as built. Of the others, only settings that differ
    from their defaults are kept, so that an entry with a new name inherits no defaults.
    """
    return with_values(given(table), point)


def with_values(settings: dict[str, Any], point: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with new values at some paths."""
    # Whole tables first: another path may change a setting within one.
    for path in sorted(point, key=lambda each: len(steps(each))):
        settings = _put(settings, steps(path), point[path], "")
    return settings


def _put(here: Any, path: Steps, value: Any, place: str) -> Any:
    """Return a copy with the value at a path; create missing tables on the way."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(here, BaseModel):
        here = given(here)
    if isinstance(step, str):
        if not isinstance(here, dict | None):
            found = short(written(here))
            raise ScenarioError([f"{place}: must be a table to have {step!r} set, got {found}"])
        inner = f"{place}.{step}".lstrip(".")
        return {**(here or {}), step: _put((here or {}).get(step), rest, value, inner)}
    if not isinstance(here, list):
        found = "nothing" if here is None else short(written(here))
        raise ScenarioError([f"{place}: must be a list to have entry [{step}] set, got {found}"])
    inner = f"{place}[{step}]"
    if step >= len(here):
        raise ScenarioError([f"{inner}: no such entry; {place} has [0] to [{len(here) - 1}]"])
    return [*here[:step], _put(here[step], rest, value, inner), *here[step + 1 :]]


def written(value: Any) -> str:
    r"""Return a value as written in a scenario file.

    >>> print(written({"behaviour": "logit", "tau": 0.1}))
    { behaviour = "logit", tau = 0.1 }
    >>> print(written("Zürich\x1b\u202e"))
    "Zürich\u001b\U0000202e"
    """
    if isinstance(value, BaseModel):
        value = given(value)
    if isinstance(value, Mapping):
        entries = [f"{written_key(str(key))} = {written(each)}" for key, each in value.items()]
        return f"{{ {', '.join(entries)} }}" if entries else "{ }"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        plain = json.dumps(value, ensure_ascii=False)
        return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in plain)
    try:
        return str(value)
    except ValueError:  # Python converts at most 4 300 digits
        return "a number of thousands of digits"


def written_key(key: str) -> str:
    """Return a key as written in a scenario file, in quotes where TOML needs them."""
    return key if re.fullmatch(_KEY, key) else written(key)


def short(text: str, longest: int = LONGEST) -> str:
    """Shorten a text for a message."""
    return text if len(text) <= longest else text[: longest - 3] + "..."
