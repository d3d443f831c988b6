"""The policy `optimal`, and what entries with tables and needs have in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kcmab_abm as kcmab
from kcmab_abm import ScenarioError, make_scenario, play
from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.errors import PlayError
from kcmab_abm.theory import optimum, policy_value
from tests.markets import assert_same

TWO = {"law": "bernoulli", "means": [0.6, 0.4]}


def scenario_with(horizon=60, market=None, policy=None, **changes):
    """Two Bernoulli arms and the policy `optimal`, or what is given instead."""
    table = {"horizon": horizon, "market": {"arms": TWO, **(market or {})}}
    return make_scenario({**table, "policy": [policy or {"name": "optimal"}], **changes})


@given(st.integers(2, 30), st.floats(0.0, 50.0), st.floats(0.3, 4.0))
@settings(max_examples=25, deadline=None)
def test_its_table_is_the_optimum(horizon, price, a):
    """Its choices, asked for every record, cost what the backward induction says."""
    best = optimum(horizon, price, a, 1.5)
    value = policy_value("optimal", horizon, a, 1.5, price=price, prior_a=a, prior_b=1.5)
    assert value.regret + price * value.compensation == pytest.approx(
        best.regret + price * best.compensation, abs=1e-7
    )
    assert value.compensation == pytest.approx(best.compensation, abs=1e-6)


def test_the_wrong_prior_costs_more():
    """It is optimal for its own prior and price only."""
    best = optimum(60)
    for wrong in ({"prior_a": 5.0}, {"prior_b": 5.0}, {"price": 20.0}):
        value = policy_value("optimal", 60, **wrong)
        assert value.regret + value.compensation > best.regret + best.compensation + 1e-3


@pytest.mark.parametrize("price", [0.0, 1.0])
@pytest.mark.parametrize("ties", ["random", "first"])
def test_both_engines_play_it_alike(price, ties):
    """Bit for bit, customer by customer."""
    scenario = scenario_with(120, {"ties": ties}, {"name": "optimal", "price": price})
    for replication in range(4):
        runs = [play(scenario, engine=each, replication=replication) for each in ENGINES]
        assert_same(*runs)
    assert len(set(runs[0].targets.tolist())) == 2


ENGINES = ("market", "batch")

OTHERS = {
    "at most 500 customers": {"horizon": 501},
    "2 arms; market.arms has 3": {"market": {"arms": {"law": "bernoulli", "means": [0.1] * 3}}},
    "the law 'bernoulli'; .* 'uniform'": {
        "market": {"arms": {"law": "uniform", "low": [0, 0], "high": [1, 1]}}
    },
    "greedy customers; .* 'logit'": {"market": {"customers": {"behaviour": "logit"}}},
    "greedy customers; .* 'greedy, logit'": {
        "market": {"customers": {"behaviour": "greedy", "decision": {"rule": "logit"}}}
    },
    "exactly the gap": {"purse": {"offer": {"rule": "fixed-margin"}}},
    "exactly the gap of": {"purse": {"budget": 3.0}},
    "arms that do not change": {"market": {"change": {"kind": "random-walk", "step": 0.1}}},
    "the whole record": {"market": {"disclosure": {"rule": "stars"}}},
    "every customer reports": {"market": {"report_probability": 0.9}},
    "at once; leave out": {"market": {"report_delay": 1.0}},
    "at once; leave": {"market": {"capacity": 1, "service_time": 0.5}},
}


@pytest.mark.parametrize("words", OTHERS)
def test_other_markets_are_refused(words):
    """The message names the premise, and the policy."""
    with pytest.raises(ScenarioError, match=rf"^policy\[0\]: 'optimal' needs .*{words}"):
        scenario_with(**OTHERS[words])


def test_points_of_a_sweep_are_checked_one_by_one():
    """The message names those with another market."""
    with pytest.raises(ScenarioError, match="needs greedy customers"):
        scenario_with(sweep={"grid": {"market.customers": [{"behaviour": "logit"}]}})
    sweep = {"grid": {"horizon": [30, 60], "policy[0].price": [0.0, 1.0]}}
    points = scenario_with(sweep=sweep).points()
    assert [len(play(each).targets) for each in points] == [30, 30, 60, 60]


def test_arrivals_and_seeding_are_left_free():
    """They change neither costs nor records."""
    market = {"arrivals": {"process": "poisson", "rate": 2.0}, "seeding_cost": 0.5}
    runs = [play(scenario_with(market=each), engine="market") for each in (market, {})]
    assert runs[0].arms.tolist() == runs[1].arms.tolist()


def test_tables_are_computed_once_and_read_only():
    """All replications share them, and horizon and settings decide what they are."""
    policy = scenario_with(200).policies[0]
    tables = policy.tables(2, 200)
    assert policy.tables(2, 200) is tables
    assert not any(each.flags.writeable for each in tables)
    assert tables.bits.nbytes == pytest.approx(200**4 / 48 / 8, rel=0.05)
    assert policy.tables(2, 100).bits.nbytes < tables.bits.nbytes


@pytest.fixture
def double():
    """A policy of a user with a table, of twice the horizon; taken away at the end."""

    def register(choose):
        def ends(arms, given):
            return np.array([given["horizon"] * given["times"], arms], np.int64)

        kcmab.policy("own", tables={"ends": ends}, times=kcmab.Parameter(2, "times"))(choose)

    yield register
    POLICIES._items.pop("own", None)


@pytest.mark.slow
def test_policies_of_ones_own_may_have_tables(double):
    """Both engines hand them the same numbers."""

    def choose(t, tables):
        return int(t % 3 == 0) if tables.ends[0] == 120 and tables.ends[1] == 2 else 0

    double(choose)
    runs = [play(scenario_with(policy={"name": "own"}), engine=each) for each in ENGINES]
    assert_same(*runs)
    assert runs[0].targets[2:].tolist() == [int(t % 3 == 0) for t in range(3, 61)]


@pytest.mark.slow
def test_nobody_writes_to_a_table(double):
    """The interpreter raises; the compiler refuses, so that the interpreter explains."""

    def choose(tables):
        tables.ends[0] = 7
        return 0

    double(choose)
    scenario = scenario_with(policy={"name": "own"})
    for engine in ENGINES:
        with pytest.raises(PlayError, match=r"read-only: book, board, tables and"):
            play(scenario, engine=engine)


def test_bad_tables_are_refused():
    """At registration if that shows, else when they are computed."""
    words = {"tables must be a dict": [1], "table 'x' must be a function": {"x": 3}}
    for message, tables in words.items():
        with pytest.raises(kcmab.MarketError, match=f"policy 'own': {message}"):
            kcmab.policy("own", tables=tables)
    with pytest.raises(kcmab.MarketError, match="'a b' cannot be used"):
        kcmab.policy("own", tables={"a b": len})


def test_tables_have_numbers():
    """Compiled code reads nothing else."""
    entry = replace(POLICIES["optimal"], tables={"ends": lambda arms, given: np.array(["x"])})
    with pytest.raises(kcmab.MarketError, match="table 'ends' must have numbers, got an array of"):
        entry.new_tables(2, {})


def test_unknown_tables_are_refused_at_registration(double):
    """Like unknown memory."""

    def choose(tables):
        return tables.end[0]

    with pytest.raises(
        kcmab.MarketError, match=r"reads tables\.end, and tables has: ends. Did you"
    ):
        double(choose)
