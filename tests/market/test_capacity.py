"""Arms that serve few customers at a time: lines, switching, leaving, patience."""

from __future__ import annotations

import heapq
import math
from collections import deque
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from kcmab_abm import make_scenario, play, simulate
from kcmab_abm.errors import EngineError
from kcmab_abm.market.customer import Customers
from kcmab_abm.market.place import MarketPlace
from kcmab_abm.market.queue import Queue
from kcmab_abm.running.engine_choice import choose_engine

ARMS = [0.7, 0.6, 0.4, 0.3]
# Multiples of 1/8: sums of them are exact, so that times can be compared with no tolerance.
eighths = st.integers(0, 40).map(lambda whole: whole / 8)
works = st.integers(1, 60).map(lambda whole: whole / 8)


def scenario_of(horizon=200, policy="ucb", means=ARMS, folder=".", purse=None, seed=4, **market):
    """A market of Bernoulli arms with a line before each."""
    arms = {"law": "bernoulli", "means": means}
    settings_ = {
        "horizon": horizon,
        "replications": 10,
        "seed": seed,
        "market": {"arms": arms, **market},
        "purse": purse or {},
        "policy": [{"name": policy}],
    }
    return make_scenario(settings_, folder=folder)


def played(replication=1, **settings_):
    """One replication of such a market."""
    return play(scenario_of(**settings_), replication=replication, engine="market")


def traced(folder, gaps, **settings_):
    """One replication in which customers come at the gaps given."""
    times = np.cumsum(gaps)
    (folder / "times.txt").write_text("\n".join(map(repr, times.tolist())))
    arrivals = {"process": "trace", "file": "times.txt"}
    return played(horizon=len(times), folder=folder, arrivals=arrivals, **settings_)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where traces lie."""
    return tmp_path_factory.mktemp("traces")


def lindley(clock, work):
    """The waiting times of one counter by Lindley's recursion: free at last, or at once."""
    waits, free = [], 0.0
    for time in clock:
        start = max(time, free)
        waits.append(start - time)
        free = start + work
    return waits


@given(gaps=st.lists(eighths, min_size=1, max_size=60), work=works)
def test_one_counter_follows_lindley(folder, gaps, work):
    """The waiting times of one arm with constant service are Lindley's, to the last bit."""
    run = traced(folder, gaps, means=[0.5], capacity=1, service_time=work)
    assert run.waits.tolist() == lindley(np.cumsum(gaps), work)
    assert (run.arms == 0).all()


def several_counters(clock, work, count):
    """The waiting times of some counters with one line."""
    waits, free = [], [0.0] * count
    for time in clock:
        start = max(time, heapq.heappop(free))
        waits.append(start - time)
        heapq.heappush(free, start + work)
    return waits


@given(gaps=st.lists(eighths, min_size=1, max_size=60), work=works, count=st.integers(2, 4))
def test_several_counters_share_one_line(folder, gaps, work, count):
    """With c places the next in line goes to the first that is free, to the last bit."""
    run = traced(folder, gaps, means=[0.5], capacity=count, service_time=work)
    assert run.waits.tolist() == several_counters(np.cumsum(gaps), work, count)


def impatient(clock, work, patience):
    """Waits and fates at one counter whose customers leave the line after some patience."""
    waits, served, free = [], [], 0.0
    line = deque()

    def move(now, last):
        nonlocal free
        while line:
            came, place = line[0]
            if free <= came + patience and free <= now:
                line.popleft()
                waits[place], served[place] = free - came, True
                free += work
            elif came + patience < free and (came + patience <= now or last):
                line.popleft()
                waits[place] = patience
            else:
                break

    for place, now in enumerate(clock):
        move(now, False)
        waits.append(0.0)
        served.append(False)
        if not line and free <= now:
            served[place], free = True, now + work
        else:
            line.append((now, place))
    move(math.inf, True)
    return waits, served


# Odd multiples of 1/16: patience never ends at the very moment when a counter gets free.
@given(
    gaps=st.lists(eighths, min_size=1, max_size=60),
    work=works,
    patience=st.integers(0, 40).map(lambda whole: (2 * whole + 1) / 16),
)
def test_patience_ends_when_it_says(folder, gaps, work, patience):
    """Who is not served in time leaves at the very end of her patience; all others are served."""
    run = traced(folder, gaps, means=[0.5], capacity=1, service_time=work, patience=patience)
    waits, served = impatient(np.cumsum(gaps), work, patience)
    assert run.waits.tolist() == waits
    assert (run.arms == 0).tolist() == served


def test_no_patience_at_all_is_leaving():
    """Customers without any patience leave at once, as those do who never wait."""
    line = {"capacity": 1, "service_time": 3.0}
    none = played(patience=0.0, **line)
    leave = played(when_full="leave", **line)
    assert same(none, leave)
    assert (none.arms < 0).any()
    assert not none.waits.any()


def same(one, other, names=None):
    """Whether two trajectories agree in the fields named, or in all."""
    names = names or [part.name for part in fields(one)]
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


HASTY = {"patience": {"law": "exponential", "mean": 3.0}}
LINES = [
    {"when_full": "wait"},
    {"when_full": "wait", "patience": 2.5},
    {"when_full": "wait", **HASTY},
    {"when_full": "switch"},
    {"when_full": "leave"},
]


@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.parametrize("capacity", [1, 2, [1, 2, 3, 1]], ids=str)
@pytest.mark.parametrize("policy", ["ucb", "round-robin"])
def test_no_arm_serves_more_than_it_can(policy, capacity, line):
    """At no time more than c customers are served by an arm, first come first served."""
    work = 6.5
    run = played(
        policy=policy,
        service_time=work,
        capacity=capacity,
        arrivals={"process": "poisson", "rate": 1.5},
        **line,
    )
    places = capacity if isinstance(capacity, list) else [capacity] * 4
    full = 0
    for arm, most in enumerate(places):
        starts = (run.clock + run.waits)[run.arms == arm]
        assert (np.diff(starts) >= -1e-9).all()  # in the order in which they came
        for start in starts:
            busy = int(((starts <= start) & (start < starts + work - 1e-9)).sum())
            assert busy <= most
            full += busy == most
    assert full > 10
    if line["when_full"] == "wait":
        assert run.waits.any()
        assert (run.arms < 0).any() == ("patience" in line)
    else:
        assert not run.waits.any()


def test_counters_are_not_idle_while_somebody_waits():
    """Who waits is served the moment a place is free: when one before her has been served."""
    work = 3.25
    run = played(service_time=work, capacity=2, policy="round-robin")
    for arm in range(4):
        starts = (run.clock + run.waits)[run.arms == arm].tolist()
        waits = run.waits[run.arms == arm]
        ends = {start + work for start in starts}
        assert all(start in ends for start, wait in zip(starts, waits, strict=True) if wait > 0)


def interval(values):
    """Mean of independent values and half of Student's interval, which misses once in 1e6 seeds."""
    width = stats.t.isf(5e-7, len(values) - 1)
    return values.mean(), width * values.std(ddof=1) / math.sqrt(len(values))


@pytest.mark.parametrize(
    ("service", "expected"),
    [
        ({"law": "exponential", "mean": 0.5}, 0.5),  # rho s / (1 - rho)
        ({"law": "constant", "value": 0.5}, 0.25),  # half of it: no variance
        ({"law": "uniform", "low": 0.0, "high": 1.0}, 1 / 3),
    ],
    ids=lambda each: str(each)[:30],
)
def test_waits_are_those_of_pollaczek_and_khinchine(service, expected):
    """One arm, Poisson customers: the mean wait is lambda E[S^2] / (2 (1 - rho))."""
    scenario = scenario_of(
        400,
        means=[0.5],
        arrivals={"process": "poisson", "rate": 1.0},
        service_time=service,
        capacity=1,
    )
    runs = [play(scenario, replication=each, engine="market") for each in range(30)]
    mean, width = interval(np.array([run.waits.mean() for run in runs]))
    assert abs(mean - expected) < width
    assert width < 0.25


@pytest.mark.parametrize(("places", "load"), [(1, 0.5), (2, 1.0), (3, 3.0)])
def test_losses_are_those_of_erlang(places, load):
    """One arm whose customers leave when it is full: the share that leaves is Erlang's B."""
    scenario = scenario_of(
        300,
        means=[0.5],
        arrivals={"process": "poisson", "rate": 1.0},
        service_time={"law": "exponential", "mean": load},
        capacity=places,
        when_full="leave",
    )
    results = simulate(scenario.replace(replications=30), engine="market")
    terms = [load**k / math.factorial(k) for k in range(places + 1)]
    mean, width = interval(results.runs["ucb"].left / 300)
    assert abs(mean - terms[-1] / sum(terms)) < width
    assert width < 0.08
    assert results.summary().left[0] == pytest.approx(mean)


def watched(monkeypatch, **settings_):
    """A run, and for every customer turned away: what she found when she chose again."""
    found = {}
    turn_away = Queue._turn_away

    def watch(queue, visit, board):
        place = queue.place
        full = [queue._is_full(arm) for arm in range(len(place.tapes))]
        worth = (place.book.means + board.offers).tolist()
        before = visit.arm, visit.payment
        turn_away(queue, visit, board)
        found[visit.number] = (before, full, worth, board.offers.tolist())

    monkeypatch.setattr(Queue, "_turn_away", watch)
    return played(**settings_), found


@pytest.mark.parametrize("also", [0, 2])
def test_who_switches_takes_the_best_free_arm(also, monkeypatch):
    """She takes argmax m_i + c_i of the free arms, for what is offered there; or she leaves."""
    run, found = watched(
        monkeypatch,
        capacity=1,
        service_time={"law": "exponential", "mean": 3.0},
        arrivals={"process": "poisson", "rate": 1.0},
        when_full="switch",
        horizon=400,
        purse={"also": also},
    )
    assert len(found) > 50
    moved = [customer - 1 for customer in found]
    assert ((run.payments[moved] > 0.0).sum() > 10) == (also > 0)
    switched = left = 0
    for customer, ((arm, _), full, worth, offers) in found.items():
        taken = run.arms[customer - 1]
        assert full[arm]
        free = [each for each in range(4) if not full[each]]
        if not free:
            assert taken == -1
            assert run.payments[customer - 1] == 0.0
            left += 1
            continue
        assert taken in free
        assert worth[taken] == max(worth[each] for each in free)
        assert run.payments[customer - 1] == offers[taken]
        switched += 1
    assert switched > 20
    assert left > 20
    assert (run.arms < 0).sum() == left


def test_who_leaves_forgoes_everything():
    """A customer without an arm has no reward, no payment, no wait, and regrets the best mean."""
    run = played(capacity=1, service_time=5.0, when_full="leave")
    left = run.arms < 0
    assert 10 < left.sum() < 190
    assert not run.rewards[left].any()
    assert not run.payments[left].any()
    assert not run.waits.any()
    assert set(run.regrets[left]) == {0.7}


@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.parametrize("customers", ["greedy", "logit", "drifted-feedback"])
def test_room_for_everybody_is_no_capacity(customers, line):
    """Where there is always a free place, capacity changes nothing: not a bit."""
    common = {
        "service_time": {"law": "exponential", "mean": 4.0},
        "report_delay": {"law": "uniform", "low": 0.0, "high": 2.0},
        "arrivals": {"process": "poisson", "rate": 2.0},
        "customers": {"behaviour": customers},
        "purse": {"budget": 20.0, "also": 1},
    }
    free = played(**common)
    assert same(played(capacity=200, **common, **line), free)
    assert not same(played(capacity=1, **common, **line), free, ["arms"])


def test_lines_do_not_depend_on_patience_drawn_before():
    """How long customers take is the same whoever has lost patience before them."""
    common = {
        "service_time": {"law": "exponential", "mean": 3.0},
        "arrivals": {"process": "poisson", "rate": 1.0},
        "capacity": 1,
        "means": [0.5],
    }
    patient = played(patience={"law": "uniform", "low": 1e6, "high": 2e6}, **common)
    assert same(patient, played(**common))


def test_patience_does_not_depend_on_the_policy():
    """A customer's patience is hers under every policy, whether or not others had to wait."""
    drawn = []
    for policy in ("ucb", "round-robin"):
        scenario = scenario_of(policy=policy, capacity=1, service_time=9.0, **HASTY)
        place = MarketPlace(scenario, scenario.policies[0], 1)
        drawn.append([place.draw_patience() for _ in range(200)])
        run = played(policy=policy, capacity=1, service_time=9.0, **HASTY)
        left = run.arms < 0
        assert left.sum() > 20
        assert run.waits[left] == pytest.approx(np.array(drawn[-1])[left], abs=1e-9)
    assert drawn[0] == drawn[1]


def test_rewards_are_read_off_the_tape_in_the_order_of_service():
    """The k-th customer whom an arm serves gets its k-th reward, however long she stood in line."""
    free = played(policy="round-robin")
    run = played(policy="round-robin", capacity=[1, 2, 1, 1], service_time=5.5, patience=9.0)
    for arm in range(4):
        mine = run.rewards[run.arms == arm]
        theirs = free.rewards[free.arms == arm]
        common = min(len(mine), len(theirs))
        assert common > 10
        assert mine[:common].tolist() == theirs[:common].tolist()


def test_who_waits_reports_as_her_own_kind(monkeypatch):
    """In a mixture the report of a customer who stood in line is coloured by her own kind."""
    kinds, reports = {}, {}
    choose, consume = Customers.choose, Customers.consume

    def watch_choice(customers, visit, board):
        arm = choose(customers, visit, board)
        kinds[visit.number] = int(customers.memory.kind[0])
        return arm

    def watch_report(customers, visit):
        consume(customers, visit)
        if visit.payment > 0.0:
            reports[visit.number] = visit.told > visit.reward

    monkeypatch.setattr(Customers, "choose", watch_choice)
    monkeypatch.setattr(Customers, "consume", watch_report)
    kinds_of = [{"behaviour": "greedy"}, {"behaviour": "drifted-feedback", "slope": 1.0}]
    customers = {"behaviour": "mixture", "of": kinds_of}
    run = played(policy="round-robin", capacity=1, service_time=5.0, customers=customers)
    assert run.waits.max() > 5.0
    assert len(reports) > 100
    assert reports == {number: kinds[number] == 1 for number in reports}


def test_waits_are_summed_up():
    """The summary's mean wait is that of all customers, served or not, and `left` their share."""
    scenario = scenario_of(capacity=1, service_time=3.0, patience=4.0, policy="round-robin")
    results = simulate(scenario)
    runs = [play(scenario, replication=each) for each in range(10)]
    summary = results.summary()
    assert results.engine == "market"
    assert summary.mean_wait[0] == pytest.approx(np.mean([run.waits for run in runs]))
    assert summary.left[0] == pytest.approx(np.mean([run.arms < 0 for run in runs]))
    assert summary.mean_wait[0] > 0.0


def test_only_the_market_engine_has_lines():
    """A market with capacity takes the market engine, and the other one says why not."""
    scenario = scenario_of(capacity=1, service_time=1.0)
    used = choose_engine(scenario, scenario.policies[0], "auto")
    assert used == ("market", "arms serve few customers at a time (capacity)")
    asked = r"'ucb'.*few customers at a time \(capacity\); use engine 'auto' or 'market'"
    for run in (play, simulate):
        with pytest.raises(EngineError, match=asked):
            run(scenario, engine="batch")


@settings(max_examples=15)
@given(seed=st.integers(0, 1000), budget=st.sampled_from([0.5, 1.0, 2.0, 3.0]))
def test_money_comes_back_and_is_spent_again(seed, budget):
    """Payments to those who gave up are nothing, and what they freed is offered to others."""
    line = {"capacity": 1, "service_time": 7.0, "patience": 3.0, "policy": "round-robin"}
    run = played(seed=seed, purse={"budget": budget}, **line)
    assert not run.payments[run.arms < 0].any()
    assert (run.offers[run.arms < 0] >= 0.0).all()
    assert math.fsum(run.payments) <= budget
