"""Customers who take their time, reports that come late or never, and the wires between agents."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import fields

import numpy as np
import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kcmab_abm import make_scenario, play
from kcmab_abm.market.channel import Channel
from kcmab_abm.market.controller import Controller
from kcmab_abm.market.run import run_market
from kcmab_abm.model.book import empty_book, record

ARMS = 4
POLICIES = ["ucb", "modified-ts", "modified-epsilon-greedy"]


def scenario_of(horizon=150, policy="ucb", folder=".", **market):
    """A market of beta arms with some frictions."""
    arms = {"law": "beta", "means": [0.7, 0.6, 0.4, 0.3], "concentration": 3.0}
    settings = {
        "horizon": horizon,
        "replications": 3,
        "seed": 21,
        "market": {"arms": arms, **market},
        "policy": [{"name": policy}],
    }
    return make_scenario(settings, folder=folder)


class Spy:
    """Writes down how many reports each customer found in the book, and when reports came in."""

    def __init__(self, scenario):
        self.found = []
        self.came = {}
        self.run = run_market(scenario, scenario.policies[0], 1, self)

    def __call__(self, place):
        """The processes by which the spy listens."""
        return [self.watch_arrivals(place), self.watch_reports(place)]

    def watch_arrivals(self, place):
        """Look into the book whenever somebody comes."""
        news = place.arrivals.next
        while True:
            _, news = yield news
            self.found.append(int(place.book.pulls.sum()))

    def watch_reports(self, place):
        """Look at the clock whenever a report comes."""
        news = place.reports.next
        while True:
            visit, news = yield news
            self.came[visit.number] = place.env.now

    def delays(self):
        """How long after her arrival each customer's report came in."""
        return {number: time - self.run.clock[number - 1] for number, time in self.came.items()}


def assert_follows_from_the_reports(spy):
    """Every offer, and every seeding, is what the reports in the book called for at the time."""
    run, book = spy.run, empty_book(ARMS)
    directed = np.zeros(ARMS)
    waiting = sorted((time, number) for number, time in spy.came.items())
    for line, clock in enumerate(run.clock):
        while waiting and waiting[0] < (clock, line + 1):
            _, number = waiting.pop(0)
            record(book, run.arms[number - 1], run.rewards[number - 1])
        target, unreported = run.targets[line], book.pulls == 0
        assert run.seeded[line] == unreported.any()
        if run.seeded[line]:
            assert unreported[target]
            assert directed[target] == directed[unreported].min()
            assert run.arms[line] == target
            assert run.payments[line] == 0
            directed[target] += 1
        else:
            assert run.offers[line] == book.means.max() - book.means[target]


def same_but_clock(one, other):
    """Whether two trajectories agree in all but the clock."""
    names = [part.name for part in fields(one) if part.name != "clock"]
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@pytest.mark.parametrize("delay", [0, 0.5, 1, 2.5, 7, 200])
@pytest.mark.parametrize("service", [0, 3])
def test_customers_find_the_reports_that_had_time_to_come(service, delay):
    """After a constant time d customer t finds the reports of all customers up to t - d."""
    spy = Spy(scenario_of(service_time=service, report_delay=delay))
    wait = max(1, math.ceil(service + delay))
    assert spy.found == [max(0, customer - wait) for customer in range(1, 151)]
    assert set(spy.delays().values()) == {service + delay}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "frictions",
    [
        {"report_delay": 5},
        {"service_time": 2, "report_delay": 2.5},
        {"report_probability": 0.4},
        {"report_probability": 0.5, "report_delay": {"law": "exponential", "mean": 6.0}},
        {"service_time": {"law": "uniform", "low": 0.0, "high": 9.0}},
    ],
    ids=str,
)
def test_offers_follow_from_the_reports(frictions, policy):
    """Whatever is late or lost: offers and seeding are made on the reports that are in."""
    assert_follows_from_the_reports(Spy(scenario_of(policy=policy, **frictions)))


def test_seeding_goes_on_until_every_arm_has_a_report():
    """With a delay of five, customers are directed until the first report on the last arm."""
    run = play(scenario_of(report_delay=5), replication=1)
    assert run.seeded.tolist() == [customer < ARMS + 5 for customer in range(1, 151)]
    assert run.targets[:8].tolist() == [0, 1, 2, 3, 0, 1, 2, 3]


def test_seeding_may_go_on_for_ever():
    """If no report ever comes every customer is directed, each arm as often as the others."""
    run = play(scenario_of(report_delay=10_000), replication=1)
    assert run.seeded.all()
    assert np.bincount(run.arms).tolist() == [38, 38, 37, 37]
    assert not run.payments.any()


def test_lost_reports_never_come():
    """Only reports that are written enter the book, about as many as the probability says."""
    spy = Spy(scenario_of(horizon=1000, report_probability=0.4))
    written = len(spy.came)
    assert spy.found[-1] == sum(number < 1000 for number in spy.came)
    assert abs(written - 400) < 5 * math.sqrt(1000 * 0.4 * 0.6)


@pytest.mark.parametrize("engine", ["market", "batch"])
def test_lost_reports_are_the_same_on_either_engine(engine):
    """A market in which reports are lost needs no clock: both engines follow the same reports."""
    scenario = scenario_of(report_probability=0.4)
    assert same_but_clock(play(scenario, replication=1, engine=engine), Spy(scenario).run)


def test_frictions_do_not_depend_on_the_policy():
    """Who reports, and after how long, is the same under every policy."""
    delay = {"law": "exponential", "mean": 6.0}
    spies = [
        Spy(scenario_of(policy=policy, report_delay=delay, report_probability=0.7))
        for policy in POLICIES
    ]
    first = spies[0].delays()
    assert any(not np.array_equal(spy.run.arms, spies[0].run.arms) for spy in spies)
    for spy in spies[1:]:
        assert spy.delays() == pytest.approx(first, abs=1e-9)


@pytest.mark.parametrize(
    ("law", "distribution"),
    [
        ({"law": "exponential", "mean": 6.0}, stats.expon(scale=6.0)),
        ({"law": "uniform", "low": 2.0, "high": 5.0}, stats.uniform(2.0, 3.0)),
    ],
    ids=["exponential", "uniform"],
)
@pytest.mark.parametrize("setting", ["service_time", "report_delay"])
def test_durations_have_their_law(setting, law, distribution):
    """Durations are distributed as the file says; the test fails by chance once in a million."""
    delays = list(Spy(scenario_of(horizon=2000, **{setting: law})).delays().values())
    assert len(delays) == 2000
    assert stats.kstest(delays, distribution.cdf).pvalue > 1e-6


@pytest.mark.parametrize(
    "frictions",
    [{"report_delay": 9}, {"service_time": 4}, {"report_probability": 0.3}],
    ids=str,
)
def test_frictions_leave_the_tapes_alone(frictions):
    """The k-th reward of an arm is what it is without frictions, whenever it is pulled."""
    plain = play(scenario_of(), replication=1, engine="market")
    other = play(scenario_of(**frictions), replication=1, engine="market")
    assert not np.array_equal(plain.arms, other.arms)
    for arm in range(ARMS):
        left, right = plain.rewards[plain.arms == arm], other.rewards[other.arms == arm]
        common = min(len(left), len(right))
        assert common > 0
        assert np.array_equal(left[:common], right[:common])


def test_no_delay_may_be_written_in_several_ways():
    """Delays of nought are no delays: the same trajectory, and a market without a clock."""
    plain = play(scenario_of(), replication=1, engine="market")
    for nought in [
        0,
        0.0,
        {"law": "constant", "value": 0},
        {"law": "uniform", "low": 0, "high": 0},
    ]:
        scenario = scenario_of(service_time=nought, report_delay=nought)
        run = play(scenario, replication=1, engine="market")
        assert same_but_clock(run, plain)
        assert np.array_equal(run.clock, plain.clock)
        assert not scenario.market.is_timed


@pytest.mark.parametrize("rate", [0.2, 1.0, 30.0])
def test_poisson_customers_come_at_their_rate(rate):
    """Poisson arrivals have independent exponential gaps of mean 1 / rate."""
    arrivals = {"process": "poisson", "rate": rate}
    clock = play(scenario_of(horizon=3000, arrivals=arrivals), engine="market").clock
    gaps = np.diff(clock, prepend=0.0)
    assert (gaps > 0).all()
    assert abs(gaps.mean() - 1 / rate) < 5 / rate / math.sqrt(len(gaps))
    assert stats.kstest(gaps, stats.expon(scale=1 / rate).cdf).pvalue > 1e-6


@pytest.mark.parametrize("customers", ["greedy", "logit"])
def test_the_clock_alone_changes_nothing(customers, tmp_path):
    """Without delays it does not matter when customers come, not even if all come at once."""
    times = [0.0] * 50 + [7.5] * 99 + [7.5 + 1e-9]
    (tmp_path / "times.txt").write_text("\n".join(map(str, times)))
    behaviour = {"behaviour": customers}
    slots = play(scenario_of(customers=behaviour), replication=1, engine="market")
    for arrivals in [{"process": "trace", "file": "times.txt"}, {"process": "poisson"}]:
        scenario = scenario_of(folder=tmp_path, customers=behaviour, arrivals=arrivals)
        run = play(scenario, replication=1, engine="market")
        assert same_but_clock(run, slots)
        assert not np.array_equal(run.clock, slots.clock)


def test_simultaneous_customers_do_not_see_each_other_under_delay(tmp_path):
    """Ten customers who come at the same time find the same book, if reports take any time."""
    times = np.repeat(np.arange(15), 10)
    (tmp_path / "times.txt").write_text("\n".join(map(str, times)))
    arrivals = {"process": "trace", "file": "times.txt"}
    spy = Spy(scenario_of(folder=tmp_path, arrivals=arrivals, report_delay=1))
    assert spy.found == (10 * times).tolist()
    assert_follows_from_the_reports(spy)


pauses = st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.5]), max_size=12)


@given(senders=st.lists(pauses, min_size=1, max_size=3), listeners=st.lists(pauses, max_size=4))
def test_wire_delivers_everything_in_order(senders, listeners):
    """However messages are sent and however slow one listens: all hear all, in the order sent."""
    env = simpy.Environment()
    channel, sent, heard = Channel(env), [], [[] for _ in listeners]

    def send(name, waits):
        for number, wait in enumerate(waits):
            yield env.timeout(wait)
            sent.append((name, number))
            channel.send((name, number))

    def listen(ear, waits):
        news = channel.next
        while True:
            message, news = yield news
            ear.append(message)
            if waits:
                yield env.timeout(waits.pop())

    for ear, waits in zip(heard, listeners, strict=True):
        env.process(listen(ear, list(waits)))
    for name, waits in enumerate(senders):
        env.process(send(name, waits))
    env.run()
    assert len(sent) == sum(map(len, senders))
    assert all(ear == sent for ear in heard)


def test_agents_are_processes_of_their_own(monkeypatch):
    """Controller, accountant and every single customer run as SimPy processes."""
    started = Counter()
    process = simpy.Environment.process

    def start(self, generator):
        agent = generator.gi_frame.f_locals.get("hear", generator)  # the one who listens, if any
        started[agent.__qualname__] += 1
        return process(self, generator)

    monkeypatch.setattr(simpy.Environment, "process", start)
    play(scenario_of(horizon=25), engine="market")
    assert started == {
        "Controller.post": 1,
        "Controller.read_report": 1,
        "Accountant.write": 1,
        "Customers.arrive": 1,
        "Customers.visit": 25,
    }


def test_controller_can_be_watched_at_work(monkeypatch):
    """A breakpoint in the controller is reached once a customer, at her time, with all in sight."""
    seen = []
    post = Controller.post

    def stop(self, visit):
        seen.append((visit.number, self.place.env.now, int(self.place.book.pulls.sum())))
        post(self, visit)

    monkeypatch.setattr(Controller, "post", stop)
    play(scenario_of(horizon=25), engine="market")
    assert seen == [(customer, customer, customer - 1) for customer in range(1, 26)]
