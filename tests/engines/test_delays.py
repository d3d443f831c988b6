"""Service times and delayed reports: the batch engine keeps the market's order of events."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import simpy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kcmab_abm import make_scenario, play, policy, simulate
from kcmab_abm.batch import run
from kcmab_abm.batch.pending import add_report, next_report, room_for
from kcmab_abm.batch.ready import kernel_of, prepare
from kcmab_abm.errors import EngineError, PlayError
from kcmab_abm.market import run as market_run
from kcmab_abm.market.channel import Arrival, Channel
from kcmab_abm.market.run import Replay, run_market
from kcmab_abm.model import streams
from kcmab_abm.model.timing import CONSTANT, EXPONENTIAL, UNIFORM, Span, draw_duration, next_arrival
from kcmab_abm.running import engine_choice
from tests.markets import (
    BEHAVIOUR_NAMES,
    EVERY_POLICY,
    arrivals,
    assert_same,
    between,
    experiments,
    replications,
)
from tests.sampling import sampled_pairs

# Times of which many are the same, also after rounding: to 1e12 nothing below 6e-5 adds anything.
ROUND = [0.0, 0.0, 1.0, 1.0, 2.0, 0.5, 0.1, 0.2, 0.30000000000000004, 3.0, 1e12]
TINY = [1e-9, 3e-5, 5e-324]
# Sensitive to the order of reports: policy and customers remember the latest ones only.
REMEMBERING = {
    "policy": [{"name": "sliding-window-ucb", "window": 6}],
    "customers": {"behaviour": "recency", "window": 3},
}
GREEDY = {"behaviour": "greedy"}
_FILES = TemporaryDirectory(prefix="kcmab-delays-")


def trace(times):
    """Arrivals at these times."""
    text = "\n".join(map(repr, times))
    path = Path(_FILES.name, f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.txt")
    path.write_text(text)
    return {"process": "trace", "file": str(path)}


def spans():
    """Durations that coincide, exactly or after rounding, and others."""
    ends = st.tuples(st.sampled_from(ROUND + TINY), st.sampled_from(ROUND + TINY)).map(sorted)
    return (
        st.sampled_from(ROUND + TINY)
        | st.sampled_from([1e-5, 0.5, 4.0]).map(lambda mean: {"law": "exponential", "mean": mean})
        | ends.map(lambda both: {"law": "uniform", "low": both[0], "high": both[1]})
    )


def frictions():
    """Both durations, not both of them nothing."""
    both = st.fixed_dictionaries({"service_time": spans(), "report_delay": spans()})
    return both.filter(lambda each: any(map(_is_something, each.values())))


def _is_something(duration):
    return (
        any(duration.get(word) for word in ("mean", "high"))
        if isinstance(duration, dict)
        else duration > 0.0
    )


def steps(count):
    """Times of arrival: many at once, some far apart, in steps that do not add up exactly."""
    gaps = st.lists(st.sampled_from(ROUND), min_size=count, max_size=count)
    return gaps.map(lambda each: np.cumsum(each).tolist())


@st.composite
def timed_experiments(draw, policy_name, behaviour, remembering=False):
    """A market of any kind with delays, or one that remembers the order of reports."""
    table = draw(experiments([policy_name], behaviour))
    if remembering:
        table["policy"] = REMEMBERING["policy"]
        table["market"]["customers"] = REMEMBERING["customers"]
    times = trace(draw(steps(table["horizon"])))
    table["market"] |= draw(frictions()) | {"arrivals": draw(arrivals() | st.just(times))}
    return table


def engines_agree(table, replication=0):
    """The trajectory, the same in both engines."""
    scenario = make_scenario(table)
    market, batch = (
        play(scenario, replication=replication, engine=engine) for engine in ("market", "batch")
    )
    assert_same(market, batch)
    return batch


def market_of(horizon=150, arms=None, **market):
    """A market of beta arms in which the order of reports matters."""
    law = {"law": "beta", "means": arms or [0.7, 0.6, 0.4], "concentration": 3.0}
    return {
        "horizon": horizon,
        "replications": 3,
        "seed": 4,
        "market": {"arms": law, "customers": REMEMBERING["customers"]} | market,
        "policy": REMEMBERING["policy"],
    }


INSTANTS = st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0, 1e12])


@settings(max_examples=8 * settings.default.max_examples)
@given(st.lists(st.tuples(INSTANTS, INSTANTS, INSTANTS, st.booleans()), min_size=1, max_size=40))
@example(12 * [(0.0, 1.0, 1.0, True)])
@example([(0.0, 1.0, 1.0, True), (0.0, 2.0, 0.0, True), (2.0, 0.0, 0.0, True)])
@example([(0.0, 2.0, 1e12, True), (0.0, 1.0, 1e12, True)])
def test_reports_come_in_the_order_of_the_events(visits):
    """The heap gives what SimPy's events give, whatever happens at the same time."""
    env, heard = simpy.Environment(), []
    reports = Channel(env)

    def visit(number, service, delay):
        heard.append(-number)
        if service > 0.0:
            yield env.timeout(service)
        if delay > 0.0:
            yield env.timeout(delay)
        reports.send(number)

    def arrive():
        for number, (gap, service, delay, is_reported) in enumerate(visits, 1):
            yield Arrival(env, gap)
            if is_reported:
                env.process(visit(number, service, delay))
            else:
                heard.append(-number)

    env.process(arrive())
    env.process(reports.listen(heard.append))
    env.run()

    pending, now, found = room_for(1), 0.0, []
    for number, (gap, service, delay, is_reported) in enumerate(visits, 1):
        now += gap
        found += _taken(pending, now)
        found.append(-number)
        if is_reported:
            if pending.size[0] == len(pending.due):
                pending = room_for(2 * len(pending.due), pending)
            add_report(pending, now, service, delay, number, number + 1, number + 0.5)
    assert [*found, *_taken(pending, np.inf)] == heard


def _taken(pending, until):
    """All reports that are due."""
    found = []
    while (report := next_report(pending, until))[0]:
        number, arm, told = report
        assert (arm, told) == (number + 1, number + 0.5)
        found.append(number)
    return found


@pytest.mark.parametrize(
    ("span", "numpys"),
    [
        (Span(CONSTANT, 2.5), lambda rng: 2.5),
        (Span(EXPONENTIAL, 0.0, 0.3), lambda rng: rng.exponential(0.3)),
        (Span(UNIFORM, 0.1, 0.7 - 0.1), lambda rng: rng.uniform(0.1, 0.7)),
    ],
)
def test_durations_are_numpys(span, numpys):
    """Durations are drawn as NumPy draws them, to the last bit."""
    one, other = (streams.Stream().open(1, 2, streams.DURATIONS) for _ in range(2))
    assert [draw_duration(span, one) for _ in range(500)] == [numpys(other) for _ in range(500)]


@pytest.mark.parametrize("process", ["slots", "poisson", "trace"])
def test_arrivals_one_by_one_are_those_of_the_clock(process):
    """Customers of the batch engine arrive when the ledger says so."""
    times = np.cumsum([0.1, 0.0, 0.2] * 50).tolist()
    given_ = {"slots": {"process": process}, "poisson": {"process": process, "rate": 0.3}}
    market = make_scenario(market_of(arrivals=given_.get(process, trace(times)))).market
    one, other = (streams.Stream().open(1, 2, streams.ARRIVALS) for _ in range(2))
    found = [0.0]
    for customer in range(1, 151):
        found.append(next_arrival(market.timing, customer, found[-1], one))
    assert found[1:] == market.arrivals.clock(150, other).tolist()


@settings(max_examples=4 * settings.default.max_examples)
@given(timed_experiments("ucb", "greedy"), replications)
def test_engines_agree_with_delays(table, replication):
    """Whatever takes how long, and whatever coincides, both engines do the same."""
    engines_agree(table, replication)


@settings(max_examples=4 * settings.default.max_examples)
@given(timed_experiments("ucb", "greedy", remembering=True), replications)
def test_engines_record_reports_in_the_same_order(table, replication):
    """Agents who remember the latest reports only notice any other order."""
    engines_agree(table, replication)


@pytest.mark.parametrize(("policy_name", "behaviour"), sampled_pairs(EVERY_POLICY, BEHAVIOUR_NAMES))
@given(data=st.data())
def test_engines_agree_with_delays_for_every_entry(policy_name, behaviour, data):
    """Every policy and every behaviour meet reports that come late."""
    engines_agree(data.draw(timed_experiments(policy_name, behaviour)), data.draw(replications))


@pytest.mark.slow
@given(data=st.data())
def test_engines_agree_with_delays_and_limits(data):
    """Arms that change and a purse that runs short go with delays."""
    table = data.draw(timed_experiments("ucb", "greedy"))
    table["purse"] = {"budget": data.draw(between(0.0, 3.0)), "also": 1, "misjudgement": 0.05}
    if data.draw(st.booleans()):
        table["market"]["arms"] = {"law": "bernoulli", "means": [0.7, 0.6, 0.4]}
        table["market"]["change"] = {"kind": "random-walk", "step": 0.1}
    engines_agree(table, data.draw(replications))


def test_reports_that_are_due_together_are_recorded_as_they_were_begun():
    """After a common long delay, reports come in the order in which the services ended."""
    times = [0.0] * 30 + [2e12] * 30
    table = market_of(
        60,
        arrivals=trace(times),
        service_time={"law": "uniform", "low": 0.0, "high": 1e-6},
        report_delay=1e12,
    )
    found = engines_agree(table)
    assert found.seeded[:30].all()
    assert not found.seeded[30:].any()


@pytest.mark.parametrize(
    ("times", "delay", "is_late"),
    [([1.1, 5.38, 5.4], 4.3, True), ([0.74, 3.44], 2.7, False)],
)
def test_the_market_adds_up_the_times_between_arrivals(times, delay, is_late):
    """Rounding makes a report late or not, by other sums than those of the file's times."""
    assert (times[0] + delay > times[-1]) != is_late
    found = engines_agree(
        market_of(len(times), arms=[0.5], arrivals=trace(times), report_delay=delay)
    )
    assert found.seeded[-1] == is_late


@pytest.mark.parametrize("delay", [0.5, 100.0, 1e9])
def test_any_number_of_reports_may_be_pending(delay, monkeypatch):
    """Room is made for as many as there are, in short blocks and where blocks are kept."""
    monkeypatch.setattr(run, "BLOCK", 20)
    monkeypatch.setattr(run, "LONG_BLOCK", 30)
    table = market_of(400, report_delay=delay, arrivals={"process": "poisson"})
    scenario = make_scenario(table | {"record": "paths"})
    market, batch = (simulate(scenario, engine=each) for each in ("market", "batch"))
    assert market.digest() == batch.digest()
    kept = []
    choice, points = scenario.policies[0], np.array([400])
    replay = Replay(scenario, choice)
    run.run_batch(scenario, choice, 0, 3, points, replay, keep=lambda *each: kept.append(each))
    assert [start for _, start, _ in kept] == 3 * [*range(0, 400, 30)]
    for replication in range(3):
        whole = play(scenario, replication=replication, engine="market")
        for number, start, part in kept:
            if number == replication:
                for each in fields(whole):
                    lines = getattr(whole, each.name)[start : start + 30]
                    assert getattr(part, each.name).tobytes() == lines.tobytes(), each.name


def test_markets_without_delays_have_a_kernel_of_their_own():
    """Nobody else pays for delays."""
    kernels = [
        kernel_of(scenario, scenario.policies[0])
        for scenario in (
            make_scenario(market_of()),
            make_scenario(market_of(report_delay=2.0)),
            make_scenario(market_of(service_time=2.0)),
            make_scenario(
                market_of(service_time=0.0, report_delay={"law": "constant", "value": 0})
            ),
        )
    ]
    assert [kernel.timed for kernel in kernels] == [False, True, True, False]
    assert kernels[0] is kernels[3]
    assert kernels[1] is kernels[2]


def test_kernels_with_and_without_a_clock_have_different_drivers():
    """One driver for both would try to compile each kernel for the arguments of the other."""
    drivers = []
    for market in ({}, {"report_delay": 2.0}):
        table = market_of(20, customers=GREEDY, **market) | {"policy": [{"name": "ucb"}]}
        scenario = make_scenario(table)
        ready = prepare(scenario, scenario.policies[0], 20, np.array([20]), 20)
        drivers.append(ready.driver.run_job)
    assert drivers[0] is not drivers[1]
    assert drivers[0] is not drivers[1]


LAST = 300


def fail_late(t, memory):
    """Fail at the report of one customer."""
    memory.heard[0] += 1.0
    if t == LAST:
        memory.heard[0] /= t - LAST


@policy("test-fails-late", learn=fail_late, memory={"heard": 1})
def choose_until_then(t, book):
    """Promotes the first arm until a report makes it fail."""
    return 0


def test_what_fails_after_the_last_customer_fails():
    """A report that nobody is left to see is heard all the same, in both engines."""
    table = market_of(LAST, report_delay=5.5, customers=GREEDY)
    scenario = make_scenario(table | {"policy": [{"name": "test-fails-late"}]})
    errors = []
    for engine in ("market", "batch"):
        with pytest.raises(PlayError, match=f"customer {LAST} of replication 0") as caught:
            play(scenario, engine=engine)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


def test_own_functions_are_tried_when_reports_have_come(monkeypatch):
    """The trial of a user's policy goes on until it has been asked often enough."""
    lengths = []
    original = engine_choice.run_market

    def played(scenario, choice, replication, served):
        lengths.append(served)
        return original(scenario, choice, replication, served=served)

    monkeypatch.setattr(engine_choice, "run_market", played)
    table = market_of(3000, report_delay=300.0, customers=GREEDY)
    scenario = make_scenario(table | {"policy": [{"name": "test-fails-late"}]})
    assert engine_choice.choose_engine(scenario, scenario.policies[0], "auto").engine == "batch"
    assert lengths == [67, 134, 268, 536]


def test_who_comes_later_decides_what_is_heard():
    """If only the first customers arrive, no report is heard that comes after them."""
    scenario, heard = make_scenario(market_of(100, report_delay=5)), []

    def watch(place):
        return [place.reports.listen(lambda visit: heard.append(visit.number))]

    run_market(scenario, scenario.policies[0], 0, watch, served=20)
    assert heard == [*range(1, 16)]


def test_a_replay_goes_on_to_the_customer_after_the_suspect(monkeypatch):
    """What customers cause is heard before the next one arrives, so she is played as well."""
    lengths = []
    monkeypatch.setattr(
        market_run, "run_market", lambda *_, served: lengths.append(served) or served
    )
    scenario = make_scenario(market_of(10, report_delay=1))
    replay = market_run.Replay(scenario, scenario.policies[0])
    for customers in (2, 3, 4, 10, 10):
        replay(0, customers)
    assert lengths == [4, 8, 10]


@pytest.mark.parametrize("setting", ["service_time", "report_delay"])
def test_the_batch_engine_is_selected(setting):
    """Delays are no reason for the market engine, but queues are."""
    table = market_of(10, **{setting: 1})
    assert simulate(make_scenario(table)).engine == "batch"
    table["market"] |= {"capacity": 1, "service_time": 1}
    with pytest.raises(EngineError, match=r"capacity.*use engine 'auto' or 'market'"):
        simulate(make_scenario(table), engine="batch")
