"""Scenario files that visitors open and download."""

from __future__ import annotations

import re
from typing import Any

import tomli_w

from kcmab_abm.errors import ScenarioError
from kcmab_abm.lab.model.limits import LARGEST_FILE
from kcmab_abm.lab.model.market_setup import (
    Setup,
    make_lab_scenario,
    shown_settings,
    without_defaults,
)
from kcmab_abm.scenario.reading import parse_settings

_NAMES = ("law", "behaviour", "process", "rule", "kind", "name")
_NUMBERS = re.compile(r"\[\n((?:\s+[-+.\de]+,\n)+)\s*\]")  # a list with one number per line


def read_file(data: bytes) -> Setup:
    """The setup that a scenario file describes; raises a `ScenarioError` if it is invalid."""
    if len(data) > LARGEST_FILE:
        raise ScenarioError([too_large(len(data))])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScenarioError([f"not UTF-8 text (byte {error.start}); save it as UTF-8"]) from None
    scenario = make_lab_scenario(parse_settings(text))
    return Setup(scenario, right=1 if len(scenario.policies) == 2 else None)


def too_large(size: int) -> str:
    """The message for a file that is too large to be read at all."""
    return f"the file has {size:,} bytes; the lab reads scenario files of up to {LARGEST_FILE:,}"


def write_file(setup: Setup) -> bytes:
    """The setup as a scenario file with the controllers shown."""
    settings = _names_first(without_defaults(shown_settings(setup)))
    policies = settings.pop("policy")
    parts = [tomli_w.dumps(settings), *(f"[[policy]]\n{tomli_w.dumps(each)}" for each in policies)]
    return _NUMBERS.sub(_in_one_line, "\n".join(parts)).encode()


def _names_first(value: Any) -> Any:
    """The same settings, each table starting with the name of the entry it configures."""
    if isinstance(value, list):
        return [_names_first(each) for each in value]
    if not isinstance(value, dict):
        return value
    words = sorted(value, key=lambda word: word not in _NAMES)
    return {word: _names_first(value[word]) for word in words}


def _in_one_line(numbers: re.Match[str]) -> str:
    return f"[{', '.join(numbers[1].replace(',', ' ').split())}]"
