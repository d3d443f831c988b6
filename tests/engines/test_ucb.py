"""`ucb` looks through the bounds only now and then, and promotes what looking always would."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm import make_scenario, play, policy
from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.entries.policies.ucb import lifted, textbook_choose
from kcmab_abm.model.book import record
from tests.contract.arena import copies, new_book, new_memory
from tests.markets import NINE_ARMS, assert_same, experiments, replications, rewards
from tests.registry import own_catalogue

LONG = 6000
DELAYS = {"law": "exponential", "mean": 3.0}


TEXTBOOK = "test-textbook-ucb"


@pytest.fixture(scope="module", autouse=True)
def _textbook():
    """The textbook's rule as a policy; forgotten, for it would count as the package's own."""
    with own_catalogue():
        policy(TEXTBOOK, memory={"index": "arms"})(textbook_choose)
        yield


def assert_by_the_book(table, engine, replication=0):
    """Both policies play the same market, and the trajectories are equal to the last bit."""
    scenario = make_scenario({**table, "policy": [{"name": "ucb"}, {"name": TEXTBOOK}]})
    runs = [play(scenario, each.label, replication, engine) for each in scenario.policies]
    assert_same(*runs)
    return runs[0]


def market_of(arms, horizon=LONG, **market):
    """A market of these arms."""
    return {"horizon": horizon, "replications": 3, "seed": 8, "market": {"arms": arms, **market}}


def bernoulli(count):
    """So many arms from 0.9 to 0.1."""
    return {"law": "bernoulli", "means": np.linspace(0.9, 0.1, count).tolist()}


SURE = {"law": "uniform", "low": [0.7, 0.5, 0.7, 0.7], "high": [0.7, 0.5, 0.7, 0.7]}
ALIKE = {"law": "bernoulli", "means": [0.5] * 6}
LOGIT = {"behaviour": "logit", "tau": 0.2}

MARKETS = {
    "one arm": market_of(bernoulli(1)),
    "two arms": market_of(bernoulli(2), horizon=30_000),
    "nine arms": market_of(bernoulli(9), horizon=30_000),
    "sixty arms": market_of(bernoulli(60)),
    "arms alike": market_of(ALIKE),
    "sure rewards": market_of(SURE),
    "sure rewards, first": market_of(SURE, ties="first"),
    "lost reports": market_of(bernoulli(9), report_probability=0.3),
    "arms alike, first, lost": market_of(ALIKE, ties="first", report_probability=0.6),
    "logit customers": market_of(bernoulli(9), customers=LOGIT),
    "logit customers, lost": market_of(ALIKE, customers=LOGIT, report_probability=0.5),
    "drifted feedback": market_of(
        bernoulli(9), customers={"behaviour": "drifted-feedback", "slope": 2.0}
    ),
}


@pytest.mark.parametrize("table", MARKETS.values(), ids=MARKETS)
@pytest.mark.parametrize("replication", [0, 1, 2])
def test_ucb_is_that_of_the_textbook(table, replication):
    """Long runs with ties, lost reports and customers with a mind of their own."""
    run = assert_by_the_book(table, "batch", replication)
    assert len(run) == table["horizon"]


@settings(max_examples=4 * settings.default.max_examples)
@given(experiments(["ucb"], longest=120), replications)
def test_ucb_is_that_of_the_textbook_on_random_markets(table, replication):
    """Arms of all laws, customers of all kinds, ties of both kinds."""
    assert_by_the_book(table, "market", replication)


@pytest.mark.parametrize("ties", ["random", "first"])
@pytest.mark.parametrize("arms", [SURE, ALIKE, {"law": "bernoulli", "means": NINE_ARMS}])
def test_ucb_is_that_of_the_textbook_when_reports_come_late(arms, ties):
    """Several reports come between two customers, or none, in another order, or never."""
    table = market_of(arms, 1500, report_delay=DELAYS, report_probability=0.8, ties=ties)
    assert_by_the_book(table, "market")


def visits(arms):
    """What happens between two customers: how many go by unseen, and reports on any arms."""
    reports = st.lists(st.tuples(st.integers(0, arms - 1), rewards()), max_size=3)
    return st.lists(st.tuples(st.integers(1, 3) | st.integers(1, 400), reports), max_size=60)


@settings(max_examples=4 * settings.default.max_examples)
@given(st.data(), st.integers(1, 6), st.booleans())
def test_ucb_is_that_of_the_textbook_whatever_is_reported(data, arms, first_ties):
    """Reports on any arm at any time, customers whom it does not meet: it promotes the same."""
    ucb = POLICIES["ucb"]
    book = new_book(arms, first_ties)
    memories = [new_memory(entry, arms) for entry in (ucb, POLICIES[TEXTBOOK])]
    coins = [np.random.default_rng(1) for _ in memories]
    t = arms
    for passed, reports in [(0, [(arm, 0.5) for arm in range(arms)]), *data.draw(visits(arms))]:
        for arm, reward in reports:
            record(book, arm, reward)
            ucb.ask(
                "learn",
                arm=arm,
                reward=reward,
                book=book,
                memory=memories[0],
                params=None,
                rng=coins[0],
            )
        t += passed
        if t > 1:
            before = copies(book)
            chosen = [
                entry.ask("act", t=t, book=book, memory=memory, params=None, rng=rng)
                for entry, memory, rng in zip(
                    (ucb, POLICIES[TEXTBOOK]), memories, coins, strict=True
                )
            ]
            assert chosen[0] == chosen[1]
            assert coins[0].bit_generator.state == coins[1].bit_generator.state
            assert copies(book) == before


@pytest.mark.parametrize("t", [10, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("mean", [-1e6, 0.0, 0.5, 1e6])
def test_ucb_leaves_every_tie_to_chance(t, mean):
    """However slowly bounds grow, and however large they are, equal ones take a draw each time."""
    ucb, book = POLICIES["ucb"], new_book(2)
    memory, rng = new_memory(ucb, 2), np.random.default_rng(1)
    for arm in range(2):
        record(book, arm, mean)
        ucb.ask("learn", arm=arm, reward=mean, book=book, memory=memory, params=None, rng=rng)
    chosen = [
        ucb.ask("act", t=t + each, book=book, memory=memory, params=None, rng=rng)
        for each in range(50)
    ]
    again = np.random.default_rng(1)
    assert chosen == [int(again.random() * 2) for _ in range(50)]


@pytest.mark.parametrize("limit", [0.0, 0.5, -1.0, 1e6, -1e9, 1e15])
def test_a_lifted_limit_is_beyond_rounding(limit):
    """Whatever its size, by far more than a few roundings and far less than bounds differ by."""
    lift = lifted(limit) - limit
    assert 100 * math.ulp(limit) < lift < 1e-8 * max(1.0, abs(limit))
