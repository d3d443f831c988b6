"""What is remembered of a visit, and for how long."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kcmab_abm.lab.model import arm_settings, visits
from kcmab_abm.lab.model.gallery import open_exhibit
from kcmab_abm.lab.model.market_setup import starting_setup
from kcmab_abm.lab.model.share_links import to_link
from kcmab_abm.lab.model.visits import LIFETIME, Visits

place_keeper = pytest.importorskip("kcmab_abm.lab.server.place_keeper")


def test_a_visit_is_kept_for_an_hour():
    """It is known for an hour after it was last heard of, and then forgotten."""
    now = [0.0]
    kept = Visits(lambda: now[0])
    kept.keep("a", {"tab": "market"})
    now[0] = LIFETIME - 1
    kept.keep("b", {"tab": "batch"})
    assert kept.recall("a") == {"tab": "market"}
    now[0] = LIFETIME + 1
    assert kept.recall("a") is None
    assert kept.recall("b") == {"tab": "batch"}


def test_visits_do_not_fill_the_server(monkeypatch):
    """The oldest visits go when there are too many, or when they are too long."""
    monkeypatch.setattr(visits, "MOST_KEPT", 3)
    monkeypatch.setattr(visits, "MOST_CHARACTERS", 100)
    kept = Visits()
    for name in "abcd":
        kept.keep(name, {"setup": "x" * 10})
    assert kept.recall("a") is None
    assert kept.recall("b") is not None
    kept.keep("b", {"setup": "x" * 85})
    assert [name for name in "abcd" if kept.recall(name)] == ["b", "d"]
    kept.keep("e", {"setup": "x" * 101})
    assert kept.recall("e") is None
    kept.keep("f", {"setup": "x"})
    assert kept.recall("f") is not None


def test_the_server_knows_better_than_the_address():
    """A visit that is known is restored as it was left, in the tab that was asked for."""
    place_keeper.VISITS.keep("known", {"tab": "market", "at": "17", "setup": "abc"})
    words = {"visit": "known", "tab": "batch", "at": "3", "token": "secret"}
    found, complaint = place_keeper.where_she_was(words)
    assert found == {"tab": "batch", "at": "17", "setup": "abc"}
    assert complaint == ""


def test_an_address_is_enough_after_a_restart():
    """Without the server's memory, the address restores the market; else it says what was lost."""
    word = to_link(open_exhibit("price-of-noise"))
    words = {"visit": "gone", "tab": "market", "setup": word, "at": "25", "story": "7.ucb.3"}
    found, complaint = place_keeper.where_she_was(words)
    session, story, damaged = place_keeper.restored(starting_setup(), found)
    assert (complaint, damaged) == ("", "")
    assert session.place == 25
    assert session.setup.source.points == 9
    assert (story.town.number, story.town.guide, story.session.place) == (7, "ucb", 3)
    assert place_keeper.where_she_was({"visit": "gone", "tab": "market"})[1].startswith(
        "This visit"
    )


@pytest.mark.parametrize("words", [{"at": "-1"}, {"at": "9" * 99}, {"at": "x"}, {"story": "💥"}])
def test_a_damaged_address_begins_anew(words):
    """Nonsense in an address is ignored."""
    session, story, _ = place_keeper.restored(starting_setup(), words)
    assert (session.place, story.session.place) == (0, 0)


def test_shuffling_moves_everything_that_belongs_to_an_arm():
    """Lists with an entry per arm move together; markets with other lists are left alone."""
    pairs = {0.1: 0.9, 0.2: 0.5, 0.3: 0.4}
    market = {"arms": {"law": "uniform", "low": [*pairs], "high": [*pairs.values()]}}
    arms = arm_settings.shuffled(market, 2018)["arms"]
    assert arms["low"] != [*pairs]
    assert dict(zip(arms["low"], arms["high"], strict=True)) == pairs
    market = {"arms": {"law": "beta", "means": [0.9, 0.5, 0.1], "concentration": 3.0}}
    assert arm_settings.gives_away(market)
    assert sorted(arm_settings.shuffled(market, 2018)["arms"]["means"]) == [0.1, 0.5, 0.9]
    changing = market | {"change": {"kind": "piecewise", "at": [5], "means": [[0.1, 0.5, 0.9]]}}
    assert arm_settings.shuffled(changing, 2018) is None
    unsorted = replace(starting_setup()).settings["market"]
    assert not arm_settings.gives_away(unsorted)
