"""One visitor: her clock, her steps, and what she is told."""

from __future__ import annotations

import pytest

import kcmab_abm as kcmab
from kcmab_abm.catalogue import POLICIES
from kcmab_abm.lab.desk import Desk, make_lab_scenario
from kcmab_abm.lab.session import TOP_SPEED, Session

SMALL = {
    "horizon": 60,
    "seed": 4,
    "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.6, 0.3]}},
    "policy": [{"name": "ucb"}, {"name": "modified-ts"}],
}


def session_of(settings=SMALL, right=None):
    """A visitor before a small market, or before two of them; `news` is what she was told."""
    session = Session(Desk(make_lab_scenario(settings), right=right))
    session.news = []
    session.listeners.append(session.news.append)
    return session


@pytest.mark.parametrize(
    ("speed", "seconds", "shown"), [(3, 4.0, 12), (10, 1.0, 10), (30, 0.5, 15)]
)
def test_customers_come_as_fast_as_she_likes(speed, seconds, shown):
    """At a speed of n, n customers come in a second, however the ticks cut it."""
    session = session_of()
    session.set_speed(speed)
    session.play()
    for _ in range(int(seconds / 0.05)):
        session.tick(0.05, budget=10.0)
    assert abs(session.shown - shown) <= 1


def test_top_speed_uses_its_budget_and_no_more():
    """At top speed a tick serves until its budget is spent; without any it serves nobody."""
    session = session_of()
    session.set_speed(TOP_SPEED)
    session.play()
    session.tick(budget=0.0)
    assert session.shown == 0
    session.tick(budget=10.0)
    assert session.is_over
    assert not session.playing


def test_a_tick_tells_once():
    """However many customers come in a tick, listeners hear of it once."""
    session = session_of()
    session.set_speed(100)
    session.play()
    session.news.clear()
    session.tick(0.1, budget=10.0)
    assert session.shown == 10
    assert session.news == ["moved"]


def test_next_payment_stops_at_the_first_one():
    """The market goes on to the first customer who is paid, and stands still there."""
    session = session_of()
    run = kcmab.play(session.desk.scenario, engine="market")
    session.next_payment()
    while session.busy:
        session.tick(budget=10.0)
    assert session.shown == next(n for n, paid in enumerate(run.payments, 1) if paid > 0)
    assert session.shows[0].paid_now()


def test_two_markets_go_in_step_on_the_same_tapes():
    """Both controllers meet as many customers, and what an arm has paid to both is the same."""
    session = session_of(right=1)
    for _ in range(40):
        session.one_customer()
    left, right = session.shows
    assert left.shown == right.shown == 40
    for arm in range(3):
        one, other = left.tape(arm), right.tape(arm)
        shared = min(len(one), len(other))
        assert one[:shared] == other[:shared]
    session.undo()
    assert left.shown == right.shown == 39


def test_a_bad_setting_changes_nothing():
    """What the scenario's rules refuse leaves desk, markets and place as they were."""
    session = session_of()
    session.one_customer()
    before, shows = session.desk, session.shows
    with pytest.raises(kcmab.ScenarioError):
        session.change(horizon=0)
    assert (session.desk, session.shows, session.shown) == (before, shows, 1)


def test_a_link_brings_back_the_place():
    """The desk of a session, opened by another, is played to where it was."""
    session = session_of(right=1)
    for _ in range(17):
        session.one_customer()
    other = Session(session.state())
    while other.busy:
        other.tick(budget=10.0)
    assert other.shown == 17
    assert [show.totals for show in other.shows] == [show.totals for show in session.shows]


@pytest.fixture
def breaking():
    """A policy that gives up at the tenth customer, in its own way or by naming no arm."""

    @kcmab.policy("gives-up", rudely=kcmab.Parameter(0, "1: raises", ge=0, le=1))
    def choose(t, book, memory, params, rng):
        """Fails for customer 10."""
        if t == 10:
            return 1 // 0 if params.rudely else 99
        return 0

    yield "gives-up"
    del POLICIES._items["gives-up"]


@pytest.mark.parametrize(("rudely", "words"), [(0, "chose arm 99"), (1, "ZeroDivisionError")])
def test_a_broken_policy_stops_both_markets(breaking, rudely, words, capsys):
    """A policy that breaks is told once a step, and neither market goes on without the other."""
    policies = [{"name": "ucb"}, {"name": breaking, "rudely": rudely}]
    session = session_of(SMALL | {"policy": policies}, right=1)
    session.set_speed(TOP_SPEED)
    session.play()
    session.tick(budget=10.0)
    assert "failed" in session.news
    assert words in session.failure
    assert [show.shown for show in session.shows] == [8, 8], "it breaks while customer 10 comes"
    assert not session.busy
    session.one_customer()
    assert session.news.count("failed") == 2
    assert [show.shown for show in session.shows] == [8, 8]
    assert ("Traceback" in capsys.readouterr().err) == bool(rudely)


def test_closing_lets_go_of_everything():
    """A visitor who has gone keeps no markets and hears nothing."""
    session = session_of()
    session.play()
    session.news.clear()
    session.close()
    session.tick()
    assert session.shows == []
    assert session.news == []
