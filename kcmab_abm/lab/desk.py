"""What is set on the page: a scenario, the controllers that are shown, and how far it is played."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import tomli_w

from kcmab_abm.errors import ScenarioError
from kcmab_abm.forms import scenario_form
from kcmab_abm.lab.limits import (
    LARGEST_FILE,
    MOST_PARTS,
    check_scenario,
    check_settings,
    has_long_key,
)
from kcmab_abm.scenario import Scenario, make_scenario, parse_settings
from kcmab_abm.world import Choice

STARTING: dict[str, Any] = {
    "title": "Nine arms",
    "horizon": 10_000,
    "replications": 1000,
    "seed": 2018,
    "market": {
        "arms": {"law": "bernoulli", "means": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]}
    },
    "policy": [{"name": "ucb"}, {"name": "modified-ts"}],
}

# What a scenario need not say, by the name of the table.
AS_IT_IS: dict[str, Any] = {
    "customers": {"behaviour": "greedy"},
    "arrivals": {"process": "slots"},
    "offer": {"rule": "least"},
}

NAMES = ("law", "behaviour", "process", "rule", "kind", "name")
_NUMBERS = re.compile(r"\[\n((?:\s+[-+.\de]+,\n)+)\s*\]")  # a list that was written line by line


@dataclass(frozen=True)
class Desk:
    """A checked scenario and how the page shows it.

    `left` and `right` are places among the scenario's policies; `right` is None while one market is
    shown. `shown` customers have come and gone.
    """

    scenario: Scenario
    left: int = 0
    right: int | None = None
    shown: int = 0
    revealed: bool = False

    @property
    def policies(self) -> list[Choice]:
        """The controllers that are shown, from left to right."""
        places = [self.left] if self.right is None else [self.left, self.right]
        return [self.scenario.policies[place] for place in places]

    @property
    def settings(self) -> dict[str, Any]:
        """The scenario as a file says it: nothing that is so anyway."""
        form = scenario_form().model_validate(dict(self.scenario.settings))
        return form.model_dump(exclude_defaults=True)

    def change(self, **changes: Any) -> Desk:
        """The desk with some top-level settings of the scenario changed, at the first customer."""
        return replace(self, scenario=make_lab_scenario(self.settings | changes), shown=0)

    def replicate(self, replications: int) -> Desk:
        """The desk with so many replications to run in a batch; the market goes on as it was."""
        settings = self.settings | {"replications": replications}
        return replace(self, scenario=make_lab_scenario(settings))


def starting_desk() -> Desk:
    """What the page shows when nothing is asked for."""
    return Desk(make_lab_scenario(STARTING))


def make_lab_scenario(settings: Mapping[str, Any]) -> Scenario:
    """Check settings as a scenario file's are checked, and whether the page can show them."""
    check_settings(settings)
    scenario = make_scenario(settings)
    check_scenario(scenario)
    return scenario


def read_file(data: bytes) -> Desk:
    """The desk that a scenario file describes; a `ScenarioError` says what is wrong with it."""
    if len(data) > LARGEST_FILE:
        raise ScenarioError([too_large(len(data))])
    scenario = make_lab_scenario(_read_toml(data))
    return Desk(scenario, right=1 if len(scenario.policies) == 2 else None)


def too_large(size: int) -> str:
    """The message for a file that is not read at all."""
    return f"the file has {size:,} bytes; a scenario for this page has at most {LARGEST_FILE:,}"


def _read_toml(data: bytes) -> dict[str, Any]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScenarioError([f"not UTF-8 text (byte {error.start}); save it as UTF-8"]) from None
    if has_long_key(text):
        raise ScenarioError([f"not a scenario: a key in it has more than {MOST_PARTS} parts"])
    return parse_settings(text)


def write_file(desk: Desk) -> bytes:
    """The scenario file of what is on the desk, with the controllers that are shown."""
    settings = _names_first(_minimal(shown_settings(desk)))
    policies = settings.pop("policy")
    parts = [tomli_w.dumps(settings), *(f"[[policy]]\n{tomli_w.dumps(each)}" for each in policies)]
    return _NUMBERS.sub(_in_a_row, "\n".join(parts)).encode()


def _names_first(value: Any) -> Any:
    """The same settings, every table beginning with what it is a table of."""
    if isinstance(value, list):
        return [_names_first(each) for each in value]
    if not isinstance(value, dict):
        return value
    words = sorted(value, key=lambda word: word not in NAMES)
    return {word: _names_first(value[word]) for word in words}


def _in_a_row(numbers: re.Match[str]) -> str:
    return f"[{', '.join(numbers[1].replace(',', ' ').split())}]"


def shown_settings(desk: Desk) -> dict[str, Any]:
    """The scenario's settings with the controllers that are shown, and no others."""
    settings = desk.settings
    places = dict.fromkeys([desk.left] if desk.right is None else [desk.left, desk.right])
    return settings | {"policy": [settings["policy"][place] for place in places]}


def _minimal(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings without the tables that say what would be so without them."""
    kept = {
        word: {key: value for key, value in table.items() if AS_IT_IS.get(key) != value}
        for word, table in settings.items()
        if word in ("market", "purse")
    }
    return {word: value for word, value in (settings | kept).items() if value != {}}


def to_link(desk: Desk) -> str:
    """The desk as a word for an address."""
    state = {
        "scenario": _minimal(desk.settings),
        "left": desk.left,
        "right": desk.right,
        "shown": desk.shown,
        "revealed": desk.revealed,
    }
    packed = zlib.compress(json.dumps(state, separators=(",", ":")).encode(), 9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def from_link(word: str) -> Desk:
    """The desk that a link restores; a `ScenarioError` says why it does not."""
    try:
        packed = base64.urlsafe_b64decode(word + "=" * (-len(word) % 4))
        # No more than that, however much is packed into it.
        state = json.loads(zlib.decompressobj().decompress(packed, LARGEST_FILE))
    except (zlib.error, ValueError, RecursionError):
        state = None
    if not isinstance(state, dict) or not isinstance(state.get("scenario"), dict):
        raise ScenarioError(["the link is damaged; copy it again, whole"])
    scenario = make_lab_scenario(state["scenario"])
    last = len(scenario.policies) - 1
    return Desk(
        scenario,
        left=_whole(state.get("left"), last),
        right=None if state.get("right") is None else _whole(state["right"], last),
        shown=_whole(state.get("shown"), scenario.horizon),
        revealed=state.get("revealed") is True,
    )


def _whole(value: Any, most: int) -> int:
    if type(value) is int and 0 <= value <= most:
        return value
    raise ScenarioError(["the link is damaged: it points beyond the scenario; copy it again"])
