"""Links that restore what somebody saw on the page."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

from kcmab_abm.errors import ScenarioError
from kcmab_abm.lab.model.limits import LARGEST_FILE
from kcmab_abm.lab.model.market_setup import Setup, make_lab_scenario, without_defaults
from kcmab_abm.lab.model.scenario_source import Source

LONGEST_QUESTION = 500  # characters


def to_link(setup: Setup) -> str:
    """The setup as a word that fits into an address."""
    state = {
        "scenario": without_defaults(setup.settings),
        "left": setup.left,
        "right": setup.right,
        "shown": setup.shown,
        "revealed": setup.revealed,
    }
    if setup.source is not None:
        state |= {
            "file": dict(setup.source.settings),
            "question": setup.source.question,
            "point": setup.point,
        }
    packed = zlib.compress(json.dumps(state, separators=(",", ":")).encode(), 9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def from_link(word: str) -> Setup:
    """The setup that a link restores; raises a `ScenarioError` if it is damaged."""
    try:
        packed = base64.urlsafe_b64decode(word + "=" * (-len(word) % 4))
        # Never unpack more than this, however much is packed into the link.
        state = json.loads(zlib.decompressobj().decompress(packed, LARGEST_FILE))
    except (zlib.error, ValueError, RecursionError):
        state = None
    if not isinstance(state, dict) or not isinstance(state.get("scenario"), dict):
        raise ScenarioError(["the link is damaged; copy all of it again"])
    scenario = make_lab_scenario(state["scenario"])
    source = _source(state)
    last = len(scenario.policies) - 1
    return Setup(
        scenario,
        left=_index(state.get("left"), last),
        right=None if state.get("right") is None else _index(state["right"], last),
        shown=_index(state.get("shown"), scenario.horizon),
        revealed=state.get("revealed") is True,
        source=source,
        point=0 if source is None else _index(state.get("point"), max(0, source.points - 1)),
    )


def _source(state: dict[str, Any]) -> Source | None:
    """The file that a setup came from, whose sweep is checked."""
    if not isinstance(state.get("file"), dict):
        return None
    source = Source(state["file"], str(state.get("question", ""))[:LONGEST_QUESTION])
    make_lab_scenario(source.base)
    return source


def _index(value: Any, most: int) -> int:
    if type(value) is int and 0 <= value <= most:
        return value
    raise ScenarioError(["the link is damaged: it points beyond the scenario; copy it again"])
