"""Scenario files that visitors open and download."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import tomli_w

from kcmab_abm.errors import ScenarioError
from kcmab_abm.lab.model.limits import LARGEST_FILE, check_settings
from kcmab_abm.lab.model.market_setup import (
    Setup,
    make_lab_scenario,
    shown_settings,
    without_defaults,
)
from kcmab_abm.lab.model.scenario_source import Source, question_in
from kcmab_abm.scenario.messages import validated
from kcmab_abm.scenario.reading import parse_settings
from kcmab_abm.scenario.schema import scenario_table

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
    return open_source(Source(parse_settings(text), question_in(text)))


def open_source(source: Source, point: int = 0) -> Setup:
    """The setup of a file at a point of its sweep; raises a `ScenarioError` if it is invalid."""
    check_settings(source.settings)
    validated(scenario_table(), source.settings)  # with what the lab leaves out
    scenario = make_lab_scenario(source.at(point))
    two = len(scenario.policies) == 2
    is_plain = source.points == 0 and not source.notes and not source.question
    return Setup(
        scenario, right=1 if two else None, source=None if is_plain else source, point=point
    )


def move_to(setup: Setup, point: int) -> Setup:
    """The setup at another point of its file's sweep, with the same controllers if it has them."""
    assert setup.source is not None
    there = open_source(setup.source, point)
    labels = [each.label for each in there.scenario.policies]
    wanted = [each.label for each in setup.policies]
    if not set(wanted) <= set(labels):
        return replace(there, revealed=setup.revealed)
    left, *right = map(labels.index, wanted)
    return replace(there, left=left, right=right[0] if right else None, revealed=setup.revealed)


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
