"""Policies that do not compute every index every time promote what the textbook's rule would."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm import make_scenario, play, policy
from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.entries.policies import gittins, imed, kl_ucb
from kcmab_abm.model.book import record
from tests.contract.arena import copies, new_book, new_memory
from tests.markets import NINE_ARMS, assert_same, experiments, replications, rewards
from tests.registry import own_catalogue

RULES = {"gittins": gittins, "imed": imed, "kl-ucb": kl_ucb}
VARIANTS = [
    {"name": "gittins"},
    {"name": "imed"},
    {"name": "kl-ucb"},
    {"name": "kl-ucb", "c": 3.0, "scale": 1.5},
    {"name": "kl-ucb", "plus": True, "price": 0.1},
    {"name": "kl-ucb", "price": 3.0},
    {"name": "kl-ucb", "remaining": True, "c": 1.0},
    {"name": "kl-ucb", "scale": 0.5, "plus": True, "remaining": True},
]
DELAYS = {"law": "exponential", "mean": 3.0}
SURE = {"law": "uniform", "low": [0.7, 0.5, 0.7, 0.7], "high": [0.7, 0.5, 0.7, 0.7]}
ALIKE = {"law": "bernoulli", "means": [0.5] * 6}
ENDS = {"law": "bernoulli", "means": [1.0, 0.0, 1.0, 0.99]}
NINE = {"law": "bernoulli", "means": NINE_ARMS}
BETA = {"law": "beta", "means": NINE_ARMS, "concentration": 4.0}
MARKETS = {
    "nine arms": {"arms": NINE},
    "Beta arms": {"arms": BETA},
    "arms alike": {"arms": ALIKE, "report_probability": 0.7},
    "sure rewards": {"arms": SURE},
    "sure rewards, first": {"arms": SURE, "ties": "first"},
    "the ends": {"arms": ENDS},
    "logit customers": {"arms": NINE, "customers": {"behaviour": "logit", "tau": 0.2}},
    "drifted feedback": {
        "arms": NINE,
        "customers": {"behaviour": "drifted-feedback", "slope": 2.0},
    },
}
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)


@pytest.fixture(scope="module", autouse=True)
def _textbooks():
    """The rules of the textbook as policies; forgotten, or they would count as the package's."""
    with own_catalogue():
        for name, module in RULES.items():
            parameters = POLICIES[name].parameters
            policy(f"test-{name}", memory={"index": "arms"}, **parameters)(module.textbook_choose)
        yield


def assert_by_the_book(table, variant, engine, replication=0):
    """Both policies play the same market, and the trajectories are equal to the last bit."""
    textbook = {**variant, "name": f"test-{variant['name']}"}
    scenario = make_scenario({**table, "policy": [variant, textbook]})
    runs = [play(scenario, each.label, replication, engine) for each in scenario.policies]
    assert_same(*runs)


@pytest.mark.slow
@every_variant
@pytest.mark.parametrize("market", MARKETS.values(), ids=MARKETS)
def test_long_runs_are_those_of_the_textbook(market, variant):
    """Ties, lost reports, records beyond 0 and 1, customers with a mind of their own."""
    table = {"horizon": 2000, "seed": 8, "replications": 2, "market": market}
    for replication in range(2):
        assert_by_the_book(table, variant, "batch", replication)


@every_variant
@settings(max_examples=settings.default.max_examples // 4)
@given(experiments(["ucb"], longest=60), replications)
def test_runs_on_random_markets_are_those_of_the_textbook(variant, table, replication):
    """Arms of all laws, customers of all kinds, ties of both kinds."""
    assert_by_the_book(table, variant, "market", replication)


@every_variant
@pytest.mark.parametrize("arms", [SURE, NINE], ids=["sure", "nine"])
def test_runs_with_late_reports_are_those_of_the_textbook(arms, variant):
    """Several reports come between two customers, or none, in another order, or never."""
    market = {"arms": arms, "report_delay": DELAYS, "report_probability": 0.8}
    table = {"horizon": 250, "seed": 8, "replications": 3, "market": market}
    assert_by_the_book(table, variant, "market")


def visits(arms):
    """What happens between two customers: how many go by unseen, and reports on any arms."""
    reports = st.lists(st.tuples(st.integers(0, arms - 1), rewards()), max_size=3)
    return st.lists(st.tuples(st.integers(1, 3) | st.integers(1, 100), reports), max_size=40)


@every_variant
@given(st.data(), st.integers(1, 6), st.booleans())
def test_choices_are_those_of_the_textbook_whatever_is_reported(variant, data, arms, first_ties):
    """Reports on any arm at any time, customers whom it does not meet: it promotes the same."""
    fast, slow = POLICIES[variant["name"]], POLICIES[f"test-{variant['name']}"]
    values = tuple(variant.get(word, each.default) for word, each in fast.parameters.items())
    book, params = new_book(arms, first_ties), fast.params(values)
    own = {
        each.name: {
            "book": book,
            "params": params,
            "memory": new_memory(each, arms, values),
            "rng": np.random.default_rng(1),
        }
        for each in (fast, slow)
    }
    t = arms
    for passed, reports in [(0, [(arm, 0.5) for arm in range(arms)]), *data.draw(visits(arms))]:
        for arm, reward in reports:
            record(book, arm, reward)
            fast.ask("learn", arm=arm, reward=reward, **own[fast.name])
        t += passed
        before = copies(book)
        chosen = [each.ask("act", t=t, horizon=5000, **own[each.name]) for each in (fast, slow)]
        assert chosen[0] == chosen[1]
        states = [each["rng"].bit_generator.state for each in own.values()]
        assert states[0] == states[1]
        assert copies(book) == before
