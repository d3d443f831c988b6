"""One visitor's session: its clock, steps and listeners."""

from __future__ import annotations

import pytest

import kcmab_abm as kcmab
from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.lab.model.market_setup import Setup, make_lab_scenario
from kcmab_abm.lab.model.session import TOP_SPEED, Session

SMALL = {
    "horizon": 60,
    "seed": 4,
    "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.6, 0.3]}},
    "policy": [{"name": "ucb"}, {"name": "modified-ts"}],
}


def session_of(settings=SMALL, right=None):
    """A session with one or two small markets; `news` is what listeners were told."""
    session = Session(Setup(make_lab_scenario(settings), right=right))
    session.news = []
    session.listeners.append(session.news.append)
    return session


@pytest.mark.parametrize(
    ("speed", "seconds", "shown"), [(3, 4.0, 12), (10, 1.0, 10), (30, 0.5, 15)]
)
def test_customers_come_as_fast_as_she_likes(speed, seconds, shown):
    """At speed n, n customers arrive per second, however long the ticks are."""
    session = session_of()
    session.set_speed(speed)
    session.play()
    for _ in range(int(seconds / 0.05)):
        session.tick(0.05, budget=10.0)
    assert abs(session.shown - shown) <= 1


def test_top_speed_uses_its_budget_and_no_more():
    """At top speed a tick serves customers until its time budget is spent."""
    session = session_of()
    session.set_speed(TOP_SPEED)
    session.play()
    session.tick(budget=0.0)
    assert session.shown == 0
    session.tick(budget=10.0)
    assert session.is_over
    assert not session.playing


def test_a_tick_tells_once():
    """Listeners are told once per tick, however many customers arrive."""
    session = session_of()
    session.set_speed(100)
    session.play()
    session.news.clear()
    session.tick(0.1, budget=10.0)
    assert session.shown == 10
    assert session.news == ["moved"]


def test_next_payment_stops_at_the_first_one():
    """The market plays to the first customer who is paid, and stops."""
    session = session_of()
    run = kcmab.play(session.setup.scenario, engine="market")
    session.next_payment()
    while session.busy:
        session.tick(budget=10.0)
    assert session.shown == next(n for n, paid in enumerate(run.payments, 1) if paid > 0)
    assert session.markets[0].paid_now()


def test_two_markets_go_in_step_on_the_same_tapes():
    """Both controllers serve equally many customers and find the same rewards."""
    session = session_of(right=1)
    for _ in range(40):
        session.one_customer()
    left, right = session.markets
    assert left.shown == right.shown == 40
    for arm in range(3):
        one, other = left.tape(arm), right.tape(arm)
        shared = min(len(one), len(other))
        assert one[:shared] == other[:shared]
    session.undo()
    assert left.shown == right.shown == 39


def test_a_bad_setting_changes_nothing():
    """Invalid settings leave setup, markets and position unchanged."""
    session = session_of()
    session.one_customer()
    before, markets = session.setup, session.markets
    with pytest.raises(kcmab.ScenarioError):
        session.change(horizon=0)
    assert (session.setup, session.markets, session.shown) == (before, markets, 1)


def test_a_link_brings_back_the_place():
    """A session's setup, opened in another session, is played to the same customer."""
    session = session_of(right=1)
    for _ in range(17):
        session.one_customer()
    other = Session(session.state())
    while other.busy:
        other.tick(budget=10.0)
    assert other.shown == 17
    assert [market.totals for market in other.markets] == [
        market.totals for market in session.markets
    ]


@pytest.fixture
def breaking():
    """A policy that fails at the tenth customer, by an exception or an invalid arm."""

    @kcmab.policy("gives-up", rudely=kcmab.Parameter(0, "1: raises", ge=0, le=1))
    def choose(t, book, memory, params, rng):
        """Fails for customer 10."""
        if t == 10:
            return 1 // 0 if params.rudely else 99
        return 0

    yield "gives-up"
    del POLICIES._items["gives-up"]


@pytest.mark.parametrize(("rudely", "words"), [(0, "chose arm 99"), (1, "(test_session.py, line ")])
def test_a_broken_policy_stops_both_markets(breaking, rudely, words, capsys):
    """A failing policy is reported once per step and stops both markets."""
    policies = [{"name": "ucb"}, {"name": breaking, "rudely": rudely}]
    session = session_of(SMALL | {"policy": policies}, right=1)
    session.set_speed(TOP_SPEED)
    session.play()
    session.tick(budget=10.0)
    assert "failed" in session.news
    assert words in session.failure
    assert [market.shown for market in session.markets] == [8, 8], (
        "it breaks while customer 10 comes"
    )
    assert not session.busy
    session.one_customer()
    assert session.news.count("failed") == 2
    assert [market.shown for market in session.markets] == [8, 8]
    assert "Traceback" not in capsys.readouterr().err


def test_closing_lets_go_of_everything():
    """A closed session keeps no markets and tells nobody anything."""
    session = session_of()
    session.play()
    session.news.clear()
    session.close()
    session.tick()
    assert session.markets == []
    assert session.news == []
