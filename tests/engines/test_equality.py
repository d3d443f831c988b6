"""The spine of the project: both engines give the same trajectory, bit for bit."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm import make_scenario, play, simulate
from kcmab_abm.running import workers
from tests.markets import (
    EVERY_PAIR,
    GROUPS,
    LAW_NAMES,
    POLICY_NAMES,
    assert_same,
    default_customers,
    experiments,
    replications,
)

MIXED_ARMS = [
    {"law": "bernoulli", "means": [0.9, 0.5, 0.0, 1.0]},
    {"law": "beta", "means": [0.7, 0.3], "concentration": 2.0},
    {"law": "uniform", "low": [0.2, 0.5], "high": [0.8, 0.5]},
    {"law": "discrete", "values": [0.0, 0.25, 1.0], "probabilities": [[0.2, 0.3, 0.5]]},
]

A_FEW = settings.default.max_examples // 8


def mixed_scenario(policies=tuple(POLICY_NAMES), **changes):
    """A scenario with arms of every law and the policies named."""
    market = {"arms": MIXED_ARMS, "seeding_cost": 0.5, **changes.pop("market", {})}
    table = [{"name": name} for name in policies]
    shape = {"horizon": 70, "replications": 40, "seed": 5}
    return make_scenario({**shape, "market": market, "policy": table, **changes})


def assert_engines_agree(scenario, replication=0):
    """Play one replication on either engine and compare."""
    for choice in scenario.policies:
        assert_same(
            play(scenario, choice.label, replication, engine="market"),
            play(scenario, choice.label, replication, engine="batch"),
        )


def test_every_law_has_a_strategy():
    """A law that is added to the catalogue needs a strategy, or these tests would miss it."""
    assert sorted(GROUPS) == LAW_NAMES


@pytest.mark.parametrize(("policy", "behaviour"), EVERY_PAIR)
@given(data=st.data())
def test_engines_agree_on_random_markets(policy, behaviour, data):
    """Every policy meets every behaviour on random markets, and the engines agree."""
    scenario = make_scenario(data.draw(experiments([policy], behaviour)))
    assert_engines_agree(scenario, data.draw(replications))


@pytest.mark.parametrize("law", LAW_NAMES)
@pytest.mark.parametrize(("policy", "behaviour"), EVERY_PAIR)
@settings(max_examples=A_FEW)
@given(data=st.data())
def test_engines_agree_on_every_law_alone(policy, behaviour, law, data):
    """Every policy meets every behaviour on arms of every single law, and the engines agree."""
    scenario = make_scenario(data.draw(experiments([policy], behaviour, [law], longest=20)))
    assert_engines_agree(scenario, data.draw(replications))


@pytest.mark.parametrize(("policy", "behaviour"), EVERY_PAIR)
def test_engines_agree_on_a_longer_run(policy, behaviour):
    """Arms of all laws side by side, past the first block of customers of the batch engine."""
    market = {"customers": default_customers(behaviour), "report_probability": 0.7}
    assert_engines_agree(mixed_scenario([policy], horizon=1100, market=market), replication=3)


@pytest.mark.parametrize(("policy", "behaviour"), EVERY_PAIR)
def test_engines_agree_when_customers_come_together(policy, behaviour, tmp_path):
    """Customers of a trace who arrive at the same moment are served one after another."""
    times = np.repeat([0.0, 0.5, 0.5, 3.25, 1e6], 6)
    (tmp_path / "times.txt").write_text("\n".join(map(str, times)))
    settings_ = {
        "horizon": len(times),
        "market": {
            "arms": MIXED_ARMS,
            "customers": default_customers(behaviour),
            "arrivals": {"process": "trace", "file": "times.txt"},
            "report_probability": 0.6,
        },
        "policy": [{"name": policy}],
    }
    scenario = make_scenario(settings_, folder=tmp_path)
    assert_engines_agree(scenario, replication=1)
    assert play(scenario, engine="batch").clock.tolist() == times.tolist()


@pytest.mark.parametrize("process", ["slots", "poisson"])
def test_arrivals_move_the_clock_and_nothing_else(process):
    """Policies count customers, not time: a Poisson market differs in its clock alone."""
    slots = play(mixed_scenario(["ucb"]))
    other = play(mixed_scenario(["ucb"], market={"arrivals": {"process": process}}))
    assert (slots.clock.tolist() == other.clock.tolist()) == (process == "slots")
    assert slots.arms.tolist() == other.arms.tolist()
    assert slots.rewards.tolist() == other.rewards.tolist()
    assert np.all(np.diff(other.clock) > 0)


@pytest.fixture
def small_chunks(monkeypatch):
    """A chunk for each replication instead of one for all."""
    monkeypatch.setattr(workers, "LONGEST", 0)


@pytest.mark.parametrize("engine", ["market", "batch"])
@pytest.mark.parametrize("pieces", [1, 7, 290])
def test_digest_does_not_depend_on_the_chunks(engine, pieces, monkeypatch):
    """However the replications are cut, all sums are the same to the last bit."""
    scenario = mixed_scenario(["ucb", "modified-ts"], horizon=30, replications=290)
    whole = simulate(scenario)
    monkeypatch.setattr(workers, "LEAST", 0)
    monkeypatch.setattr(workers, "LONGEST", 10**18)
    monkeypatch.setattr(workers, "PIECES", pieces)
    assert simulate(scenario, engine=engine).digest() == whole.digest()


@pytest.mark.usefixtures("small_chunks")
def test_digest_does_not_depend_on_the_engine():
    """A whole experiment has one digest, whichever engine ran it."""
    scenario = mixed_scenario(replications=12)
    market, batch = (simulate(scenario, engine=engine) for engine in ("market", "batch"))
    assert market.engine == "market"
    assert batch.engine == "batch"
    assert market.digest() == batch.digest()


@pytest.mark.usefixtures("small_chunks")
def test_digest_does_not_depend_on_the_engine_when_reports_get_lost():
    """Reports that get lost are lost in both engines."""
    scenario = mixed_scenario(replications=12, market={"report_probability": 0.3})
    assert simulate(scenario, engine="market").digest() == simulate(scenario).digest()


@pytest.mark.usefixtures("small_chunks")
def test_digest_does_not_depend_on_the_other_policies():
    """A policy finds the same world alone and in company."""
    together, alone = simulate(mixed_scenario()), simulate(mixed_scenario(POLICY_NAMES[-1:]))
    label = POLICY_NAMES[-1]
    assert alone.runs[label].digest() == together.runs[label].digest()


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("jobs", [2, 3])
def test_digest_does_not_depend_on_the_number_of_threads(jobs):
    """Any number of threads gives what one gives."""
    scenario = mixed_scenario()
    assert simulate(scenario, jobs=jobs).digest() == simulate(scenario, jobs=1).digest()


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("engine", ["market", "batch"])
def test_digest_does_not_depend_on_a_thread_pool(engine):
    """A thread pool of the user's own gives what `simulate` gives by itself."""
    scenario = mixed_scenario(["ucb", "modified-ts"], replications=30)
    with ThreadPoolExecutor(2) as pool:
        elsewhere = simulate(scenario, engine=engine, executor=pool)
    assert elsewhere.digest() == simulate(scenario, engine="batch").digest()


@pytest.mark.usefixtures("small_chunks")
def test_digest_does_not_depend_on_a_process_pool():
    """Other processes give what this one gives, in either engine."""
    scenario = mixed_scenario(["ucb"], replications=20)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        digests = {
            simulate(scenario, engine=engine, executor=pool).digest()
            for engine in ("market", "batch")
        }
    assert digests == {simulate(scenario, engine="batch").digest()}


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("engine", ["market", "batch"])
def test_a_replication_is_the_same_alone_and_in_the_batch(engine):
    """Replication r played alone ends where replication r of the experiment ends."""
    scenario = mixed_scenario(["modified-epsilon-greedy"], replications=25)
    finals = simulate(scenario, engine="batch").finals()
    for replication in (0, 1, 13, 24):
        alone = play(scenario, replication=replication, engine=engine)
        row = finals[finals.replication == replication].iloc[0]
        assert row.regret == np.cumsum(alone.regrets)[-1]
        assert row.compensation == np.cumsum(alone.payments)[-1]
        assert row.realised_regret == np.cumsum(1.0 - alone.rewards)[-1]
        assert row.seeding == 0.5 * alone.seeded.sum()


def test_more_replications_leave_the_first_ones_alone():
    """A longer experiment begins with the shorter one."""
    short, long = (mixed_scenario(["ts"], replications=count) for count in (10, 30))
    few, many = simulate(short).finals(), simulate(long).finals()
    assert few.equals(many.iloc[:10])
