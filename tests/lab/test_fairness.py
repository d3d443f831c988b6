"""Time, memory and batch runs are shared fairly among visitors."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from dataclasses import replace

import pytest

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model import batch_job, memory
from kcmab_abm.lab.model.batch_job import BatchJob
from kcmab_abm.lab.model.batch_queue import MOST_OWN, PATIENCE, BatchQueue, wait
from kcmab_abm.lab.model.fair_clock import FairClock
from kcmab_abm.lab.model.limits import MOST_CUSTOMERS
from kcmab_abm.lab.model.market_setup import Setup, make_lab_scenario, starting_setup
from kcmab_abm.lab.model.memory import Memory, needed_for
from kcmab_abm.lab.model.rewindable_market import WINDOW, RewindableMarket
from kcmab_abm.lab.model.session import MEMORY, TICK, TOP_SPEED, Session

ARMS = {"law": "bernoulli", "means": [0.9, 0.1]}
SMALL = {"horizon": 5000, "market": {"arms": ARMS}, "policy": [{"name": "greedy"}]}


class Clock:
    """A clock that ticks a little with every look at it."""

    def __init__(self, step):
        """Begin at 0 and advance by `step` per look."""
        self.now, self.step = 0.0, step

    def __call__(self):
        """The time."""
        self.now += self.step
        return self.now


def sessions_of(number, speed=TOP_SPEED):
    """Visitors who all play."""
    found = [Session(Setup(make_lab_scenario(SMALL))) for _ in range(number)]
    for session in found:
        session.set_speed(speed)
        session.play()
    return found


def test_a_round_is_as_long_however_many_play(monkeypatch):
    """The budget is that of all together, and everybody has her turn within some rounds."""
    turns = []
    monkeypatch.setattr(Session, "tick", lambda session, *_: turns.append(session))
    clock = FairClock(Clock(0.001))
    players = sessions_of(60)
    for each in players:
        clock.add(each)
    assert clock.round(0.02) < 0.03
    assert 5 < len(turns) < 30
    for _ in range(12):
        clock.round(0.02)
    assert set(turns) == set(players)
    times = [turns.count(each) for each in players]
    assert max(times) - min(times) <= 1


def test_customers_come_as_fast_in_a_crowd(monkeypatch):
    """A market whose turn comes late is given the time that has passed."""
    clock = FairClock(now := Clock(0.0))
    (session,) = sessions_of(1, speed=10)
    clock.add(session)
    for _ in range(50):
        now.now += 0.2
        clock.round(0.02)
    assert 99 <= session.shown <= 101


def test_no_time_passes_for_a_market_that_is_paused():
    """After a pause the market does not catch up."""
    clock = FairClock(now := Clock(0.0))
    (session,) = sessions_of(1, speed=10)
    session.pause()
    clock.add(session)
    now.now += 1000.0
    clock.round()
    session.play()
    now.now += TICK
    clock.round()
    assert session.shown <= 1
    clock.discard(session)
    assert len(clock) == 0


def test_a_market_of_many_customers_is_small():
    """A market takes less than what is reserved for it, tens of megabytes for 100 000 customers."""
    settings = {**SMALL, "horizon": 3 * WINDOW}
    settings["market"] = {"arms": {"law": "bernoulli", "means": [0.5] * 20}}
    scenario = make_lab_scenario(settings)
    tracemalloc.start()
    market = RewindableMarket(scenario, scenario.policies[0])
    while not market.is_over:
        market.forward()
    gc.collect()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < needed_for(scenario, list(scenario.policies), scenario.horizon)
    whole = replace(starting_setup().change(horizon=MOST_CUSTOMERS), right=1)
    assert needed_for(whole.scenario, whole.policies, MOST_CUSTOMERS) < memory.MOST_EACH
    start = starting_setup()
    idle = needed_for(start.scenario, start.policies, 0)
    assert 200 * (idle + idle / 3) < memory.MOST_TOGETHER  # everybody may come in, story included


def test_what_is_not_kept_is_played_again():
    """Going back further than the market remembers leads to the same place, by another way."""
    session = Session(Setup(make_lab_scenario(SMALL)))
    views = {}
    for _ in range(WINDOW + 20):
        views[session.shown] = repr((session.markets[0].arms(), session.markets[0].totals))
        session.one_customer()
    for _ in range(WINDOW + 10):
        session.undo()
        while session.busy:
            session.tick(budget=10.0)
        market = session.markets[0]
        assert repr((market.arms(), market.totals)) == views[session.shown]
    assert session.shown == 10


def test_memory_is_for_all_visitors():
    """What is reserved counts for everybody until its owner leaves."""
    own = Memory()
    one, other = Session(starting_setup()), Session(starting_setup())
    own.reserve(one, memory.MOST_EACH)
    own.reserve(one, 5)
    assert own.reserved == 5
    with pytest.raises(MarketError, match="120 MB left"):
        own.reserve(other, memory.MOST_EACH + 1)
    visitors = [Session(starting_setup()) for _ in range(6)]
    for each in visitors[:5]:
        own.reserve(each, memory.MOST_EACH - 2)
    own.reserve(other, 4)
    with pytest.raises(MarketError, match="choose a shorter horizon"):
        own.reserve(visitors[5], memory.MOST_EACH)
    assert own.reserved < memory.MOST_TOGETHER
    own.release(visitors[0])
    own.reserve(visitors[5], memory.MOST_EACH - 2)


def test_a_market_that_grows_too_large_stops(monkeypatch):
    """A market for which there is no memory left stops, says so, and stays where it is."""
    session = sessions_of(1)[0]
    monkeypatch.setattr(memory, "MOST_EACH", 3_700_000)
    while session.busy:
        session.tick(budget=10.0)
    assert 1000 < session.shown < 5000
    assert "choose a shorter horizon" in session.failure
    assert not session.playing


def test_a_setup_too_large_changes_nothing(monkeypatch):
    """A session for which there is no memory stays as it is; one that is closed needs none."""
    session = Session(starting_setup())
    before = session.setup, session.markets
    monkeypatch.setattr(memory, "MOST_EACH", 5_000_000)
    with pytest.raises(MarketError, match="needs 11 MB of memory, but the lab has 5 MB left"):
        session.change(horizon=100_000)
    assert (session.setup, session.markets) == before
    reserved = MEMORY.reserved
    session.close()
    assert MEMORY.reserved < reserved


@pytest.fixture
def busy_queue():
    """A queue of one lane that is taken until the test releases it."""
    queue, held = BatchQueue(1, clock := Clock(0.0)), threading.Event()
    running = queue.submit(lambda: held.wait(60), 1.0, "somebody")
    while queue.place(running) >= 0:
        held.wait(0.01)
    yield queue, clock, held
    held.set()
    wait(running, 60)


def test_the_shortest_comes_first_but_nobody_waits_for_ever(busy_queue):
    """Runs start in the order of their sizes; one that has waited long enough comes first."""
    queue, clock, held = busy_queue
    order = []
    tickets = {
        size: queue.submit(lambda size=size: order.append(size), size, f"visitor {size}")
        for size in (3e9, 1e3, 2e6)
    }
    assert [queue.place(tickets[size]) for size in (1e3, 2e6, 3e9)] == [0, 1, 2]
    clock.now += 4e9 / PATIENCE
    late = queue.submit(lambda: order.append(1.0), 1.0, "late")
    assert queue.place(tickets[3e9]) == 2
    assert queue.place(late) == 3
    held.set()
    wait(late, 60)
    assert order == [1e3, 2e6, 3e9, 1.0]


def test_one_visitor_has_a_quota(busy_queue):
    """She may have two runs, waiting or running; and others' come before her second."""
    queue, _, _ = busy_queue
    own = [queue.submit(lambda: None, 1.0, "somebody")]
    assert len(own) + 1 == MOST_OWN
    with pytest.raises(MarketError, match="already have 2 batch runs"):
        queue.submit(lambda: None, 1.0, "somebody")
    other = queue.submit(lambda: None, 1e9, "other")
    assert (queue.place(other), queue.place(own[0])) == (0, 1)
    assert queue.withdraw(own[0])
    assert not queue.withdraw(own[0])
    queue.submit(lambda: None, 1.0, "somebody")


def test_a_run_has_a_deadline(monkeypatch):
    """A run that takes too long is stopped, with advice."""
    monkeypatch.setattr(batch_job, "DEADLINE", 0.2)
    market = {"arms": ARMS}
    job = BatchJob(starting_setup().change(market=market, horizon=100_000, replications=10_000))
    job.wait(60)
    assert job.state == "failed"
    assert job.problem.startswith("stopped after 0 seconds, the longest")
