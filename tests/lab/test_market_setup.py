"""Setups in files and links, and what is refused."""

from __future__ import annotations

import base64
import json
import time
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm import ScenarioError, make_scenario
from kcmab_abm.lab.model.limits import LARGEST_FILE
from kcmab_abm.lab.model.market_setup import (
    Setup,
    make_lab_scenario,
    shown_settings,
    starting_setup,
)
from kcmab_abm.lab.model.scenario_files import read_file, write_file
from kcmab_abm.lab.model.share_links import from_link, to_link
from kcmab_abm.lab.widgets.files_menu import in_short
from tests.lab.hostile import FILES, data
from tests.markets import POLICY_NAMES, WITHOUT_FILES, experiments


@st.composite
def setups(draw):
    """Setups with any scenario, at any customer, with one market or two."""
    names = draw(st.lists(st.sampled_from(POLICY_NAMES), min_size=1, max_size=3, unique=True))
    scenario = make_lab_scenario(draw(experiments(names, laws=WITHOUT_FILES)))
    last = len(names) - 1
    return Setup(
        scenario,
        left=draw(st.integers(0, last)),
        right=draw(st.none() | st.integers(0, last)),
        shown=draw(st.integers(0, scenario.horizon)),
        revealed=draw(st.booleans()),
    )


@given(setups())
def test_a_link_restores_the_whole_setup(setup):
    """A link restores scenario, controllers, position and revealed means."""
    assert from_link(to_link(setup)) == setup


@given(setups())
def test_a_file_says_what_is_shown(setup):
    """A file holds the scenario with the controllers shown."""
    scenario = make_scenario(shown_settings(setup))
    read = read_file(write_file(setup))
    assert read.scenario == scenario
    assert len(read.policies) == len(scenario.policies)


def test_a_file_is_as_short_as_one_written_by_hand():
    """No defaults, names first, numbers in one line, one table per policy."""
    setup = replace(starting_setup(), right=1)
    assert write_file(setup).decode() == (
        'title = "Nine arms"\n'
        "horizon = 10000\n"
        "seed = 2018\n"
        "\n"
        "[market.arms]\n"
        'law = "bernoulli"\n'
        "means = [0.4, 0.7, 0.2, 0.9, 0.5, 0.1, 0.8, 0.3, 0.6]\n"
        "\n"
        "[[policy]]\n"
        'name = "ucb"\n'
        "\n"
        "[[policy]]\n"
        'name = "modified-ts"\n'
    )


def test_texts_survive_a_file_and_a_link():
    """Quotes, backslashes, other scripts and text that looks like a list survive."""
    title = 'a "quoted" [  1, ] \\n \\ <b> 多臂 \ufffe'
    setup = starting_setup().change(title=title)
    assert read_file(write_file(setup)).scenario.title == title
    assert from_link(to_link(setup)).scenario.title == title


def test_other_replications_leave_the_market_where_it_is():
    """Changing the replications does not restart the market."""
    setup = replace(starting_setup(), shown=7)
    assert setup.replicate(20).shown == 7
    assert setup.replicate(20).scenario.replications == 20
    assert setup.change(seed=1).shown == 0


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_in_a_moment(name):
    """A hostile file gets a message of bounded length, quickly."""
    content, words = FILES[name]
    assert len(data(content)) <= LARGEST_FILE
    begun = time.process_time()
    with pytest.raises(ScenarioError) as error:
        read_file(data(content))
    assert time.process_time() - begun < 3
    assert words in in_short(error.value.problems)
    assert len(in_short(error.value.problems)) < 5000


def test_a_large_file_is_not_read():
    """Above 256 KiB only the size is checked."""
    with pytest.raises(ScenarioError, match="262,145 bytes"):
        read_file(b"#" * (LARGEST_FILE + 1))


def _link(state):
    """A link with arbitrary contents."""
    text = state if isinstance(state, bytes) else json.dumps(state).encode()
    return base64.urlsafe_b64encode(zlib.compress(text, 9)).decode().rstrip("=")


def _state(**changes):
    setup = starting_setup()
    kept = {"scenario": setup.settings, "left": 0, "right": None, "shown": 0, "revealed": False}
    return {**kept, **changes}


HOSTILE_LINKS = {
    "no base64": "?",
    "other scripts": "多臂",
    "no zlib": base64.urlsafe_b64encode(b"hello").decode(),
    "cut off": to_link(starting_setup())[:-9],
    "a bomb": _link(b" " * 200_000_000),
    "no JSON": _link(b"{"),
    "no UTF-8": _link(b"\xff\xfe\xff"),
    "lists in lists": _link(b"[" * 200_000),
    "many digits": _link(b"1" * 200_000),
    "a list": _link([]),
    "nothing": _link({}),
    "a text": _link(_state(scenario="x")),
    "left of all": _link(_state(left=-1)),
    "right of all": _link(_state(right=2)),
    "half a customer": _link(_state(shown=0.5)),
    "true customers": _link(_state(shown=True)),
    "beyond the last": _link(_state(shown=10_001)),
    "half a letter": _link(_state(scenario={**starting_setup().settings, "title": "\ud800"})),
    "not a number": _link(_state(scenario={**starting_setup().settings, "horizon": float("nan")})),
    "a billion people": _link(
        _state(
            scenario={
                **starting_setup().settings,
                "market": {
                    "arms": {"law": "bernoulli", "means": [0.5]},
                    "customers": {"behaviour": "social", "people": 10**9},
                },
            }
        )
    ),
}


@pytest.mark.parametrize("name", HOSTILE_LINKS)
def test_a_damaged_link_is_refused(name):
    """A damaged link is refused, whatever it contains."""
    with pytest.raises(ScenarioError) as error:
        from_link(HOSTILE_LINKS[name])
    str(error.value).encode()  # can be sent to a browser


@given(st.text(max_size=80) | st.binary(max_size=80).map(lambda raw: _link(raw)))
def test_no_link_breaks_the_page(word):
    """Any text gives a setup or a `ScenarioError`."""
    with pytest.raises(ScenarioError):
        from_link(word)
