"""What is set on the page: a scenario, the controllers that are shown, and how far it is played."""

from __future__ import annotations

import base64
import binascii
import json
import tomllib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import tomli_w

from kcmab_abm.errors import ScenarioError
from kcmab_abm.forms import scenario_form
from kcmab_abm.scenario import Scenario, make_scenario
from kcmab_abm.world import Choice

MOST_ARMS = 20
MOST_CUSTOMERS = 100_000
MOST_REPLICATIONS = 10_000
MOST_REMEMBERED = 1_000_000  # numbers that the agents of a market may keep
LARGEST_FILE = 256 * 1024  # bytes, of a scenario

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


def starting_desk() -> Desk:
    """What the page shows when nothing is asked for."""
    return Desk(make_lab_scenario(STARTING))


def make_lab_scenario(settings: Mapping[str, Any]) -> Scenario:
    """Check settings as a scenario file's are checked, and whether the page can show them."""
    problems = list(_unfit(settings))
    if problems:
        raise ScenarioError(problems)
    scenario = make_scenario(settings)
    arms = len(scenario.market.arms)
    limits = (
        ("market.arms", "arms", arms, MOST_ARMS),
        ("horizon", "customers", scenario.horizon, MOST_CUSTOMERS),
        ("replications", "replications", scenario.replications, MOST_REPLICATIONS),
    )
    problems = [
        f"{place}: the page shows at most {most:,} {what}, got {count:,}; use 'kcmab run' for more"
        for place, what, count, most in limits
        if count > most
    ]
    problems = problems or list(_forgetful(scenario, arms))
    if problems:
        raise ScenarioError(problems)
    return scenario


def _unfit(settings: Mapping[str, Any]) -> list[str]:
    """What a scenario file may say and the page does not show."""
    problems = [
        f"{word}: the page shows one market; take it out, or use 'kcmab run'"
        for word in ("sweep", "precision", "sample")
        if word in settings
    ]
    market = settings.get("market")
    arrivals = market.get("arrivals") if isinstance(market, Mapping) else None
    if isinstance(arrivals, Mapping) and arrivals.get("process") == "trace":
        problems.append(
            "market.arrivals: the page reads no files, and a trace needs one; use 'slots' or "
            "'poisson', or 'kcmab run'"
        )
    return problems


def _forgetful(scenario: Scenario, arms: int) -> list[str]:
    market = scenario.market
    agents = [market.customers, market.offers.rule, *scenario.policies]
    return [
        f"{each.label}: would remember {size:,} numbers, and the page allows {MOST_REMEMBERED:,}; "
        "make it remember less, or use 'kcmab run'"
        for each in agents
        if (size := sum(len(array) for array in each.blank_memory(arms))) > MOST_REMEMBERED
    ]


def read_file(data: bytes) -> Desk:
    """The desk that a scenario file describes; a `ScenarioError` says what is wrong with it."""
    if len(data) > LARGEST_FILE:
        raise ScenarioError(
            [
                f"the file has {len(data):,} bytes; a scenario for this page has at most "
                f"{LARGEST_FILE:,}"
            ]
        )
    try:
        settings = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ScenarioError([f"not UTF-8 text (byte {error.start}); save it as UTF-8"]) from None
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise ScenarioError([f"not TOML: {error}"]) from None
    scenario = make_lab_scenario(settings)
    return Desk(scenario, right=1 if len(scenario.policies) == 2 else None)


def write_file(desk: Desk) -> bytes:
    """The scenario file of what is on the desk, with the controllers that are shown."""
    return tomli_w.dumps(shown_settings(desk)).encode()


def shown_settings(desk: Desk) -> dict[str, Any]:
    """The scenario's settings with the controllers that are shown, and no others."""
    tables = desk.settings["policy"]
    places = [desk.left] if desk.right is None else [desk.left, desk.right]
    return desk.settings | {"policy": [tables[place] for place in places]}


def to_link(desk: Desk) -> str:
    """The desk as a word for an address."""
    state = {
        "scenario": desk.settings,
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
        text = zlib.decompressobj().decompress(packed, LARGEST_FILE)
        state = json.loads(text)
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        raise ScenarioError(["the link is damaged; copy it again, whole"]) from None
    return _restored(state)


def _restored(state: Any) -> Desk:
    """A desk from what a link holds, which may be anything."""
    table = state if isinstance(state, dict) else {}
    settings = table.get("scenario")
    scenario = make_lab_scenario(settings if isinstance(settings, dict) else {})
    last = len(scenario.policies) - 1
    left = _whole(table.get("left"), last)
    right = None if table.get("right") is None else _whole(table.get("right"), last)
    shown = _whole(table.get("shown"), scenario.horizon)
    return Desk(scenario, left, right, shown, table.get("revealed") is True)


def _whole(value: Any, most: int) -> int:
    if isinstance(value, int) and 0 <= value <= most:
        return int(value)
    raise ScenarioError(["the link is damaged: it points beyond the scenario; copy it again"])
