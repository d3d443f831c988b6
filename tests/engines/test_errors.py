"""Whatever raises in one engine raises in the other, in the same words."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from kcmab_abm import (
    LawSettings,
    Parameter,
    behaviour,
    law,
    play,
    policy,
    pricing,
    simulate,
)
from kcmab_abm.batch.run import run_batch
from kcmab_abm.catalogue.registry import BEHAVIOURS
from kcmab_abm.errors import EngineError, PlayError
from kcmab_abm.market.run import Replay, run_market
from kcmab_abm.model.trajectory import tally
from kcmab_abm.running.engine_choice import choose_engine
from tests.engines.nasty import FAILING, WORKING
from tests.engines.test_user_functions import scenario_of
from tests.markets import NINE_ARMS, PAIRS, SELDOM, assert_same

UNCOMPILED = ["nasty-writes-to-the-book", "nasty-calls-itself"]
QUICK = ["nasty-divides", "nasty-takes-logarithms"]  # a division, and what only flags tell


def complaint(scenario, engine, run=play):
    """What an engine says when it fails."""
    with pytest.raises(PlayError) as caught:
        run(scenario, engine=engine)
    return str(caught.value)


def by_speed(names):
    """The names as cases, all but a few of them slow: each is compiled."""
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", by_speed(FAILING))
def test_what_fails_fails_alike(name):
    """A careless function ends both engines with the same line, which says who, where and what."""
    scenario = scenario_of([name], horizon=300)
    words = complaint(scenario, "market")
    assert complaint(scenario, "auto") == words
    if name in UNCOMPILED:  # and the batch engine says so before the first customer
        with pytest.raises(EngineError, match=f"'{name}': the batch engine cannot run this"):
            play(scenario, engine="batch")
    else:
        assert complaint(scenario, "batch") == words
    assert words.startswith(f"policy '{name}' ")
    assert " of replication 0" in words
    assert FAILING[name] in words
    assert "chose arm" in words or "(nasty.py, line " in words
    assert "\n" not in words


@pytest.mark.slow
@pytest.mark.parametrize("name", WORKING)
def test_what_works_works_alike(name):
    """Compiled, a function does what it does in Python, or is not run compiled at all."""
    scenario = scenario_of([name], horizon=300)
    market, auto = (play(scenario, engine=engine) for engine in ("market", "auto"))
    assert_same(market, auto)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nasty-multiplies-beyond-64-bits", "nasty-adds-up-an-array"])
def test_what_differs_compiled_is_not_run_compiled(name):
    """Functions that compile to something else are found out, and the results say so."""
    scenario = scenario_of([name])
    used = choose_engine(scenario, scenario.policies[0], "auto")
    assert used.engine == "market"
    assert "does not behave as in Python" in used.reason
    with pytest.raises(EngineError, match="does not behave as in Python"):
        simulate(scenario, engine="batch")


class FrailSettings(LawSettings):
    """Arms that pay what they are told to."""

    pays: list[float]

    def rows(self):
        """What each arm pays, and once more."""
        return [(each, each) for each in self.pays]


@law("test-frail", settings=FrailSettings, mean=lambda row: 0.5, variance=lambda row: 0.0)
def frail_reward(u, row):
    """Pays what it is told to, if there are two numbers; else divides by zero."""
    return row[0] * (1.0 / (len(row) - 1))


def frail_report(reward, payment, memory, params, rng):
    """Divides by zero, or reports what is no number, as customer 141."""
    if params.where == 2 and memory.customer[0] == 141.0:
        return 1.0 / (memory.customer[0] - 141.0)
    return math.inf if params.where == 3 and memory.customer[0] == 141.0 else reward


def frail_hear(t, arm, reward, book, memory, params, rng):
    """Divides by zero when customer 141 reports."""
    if params.where == 4:
        memory.customer[0] = 1.0 / (141.0 - t)


@behaviour(
    "test-frail",
    hear=frail_hear,
    report=frail_report,
    memory={"customer": 1},
    where=Parameter(0, "what goes wrong"),
)
def frail_take(t, book, board, memory, params, rng):
    """Divides by zero, or writes to the board, as customer 141."""
    memory.customer[0] = t
    if params.where == 1:
        memory.customer[0] = 1.0 / (141.0 - t)
    return board.target


def frail_answered(t, offer, taken, memory, params, rng):
    """Divides by zero after customer 141 has chosen."""
    if params.where == 6:
        memory.last[0] = 1.0 / (141.0 - t)


@pricing(
    "test-frail",
    answered=frail_answered,
    memory={"last": 1},
    where=Parameter(0, "what goes wrong"),
)
def frail_price(t, gap, memory, params, rng):
    """Divides by zero, or offers what cannot be paid, to customer 141."""
    if params.where == 5:
        memory.last[0] = 1.0 / (141.0 - t)
    return math.inf if params.where == 7 and t == 141 else 0.0


def frail(where=0, pays=0.5):
    """A market in which a user's functions go wrong where they are told to."""
    customers = {"behaviour": "test-frail", "where": where}
    # The longer rows of another law must not reach the user's.
    arms = [
        {"law": "test-frail", "pays": [0.5] * 8 + [pays]},
        {"law": "discrete", "values": [0.0, 0.5, 1.0], "probabilities": [[0.0, 1.0, 0.0]]},
    ]
    purse = {"offer": {"rule": "test-frail", "where": where}}
    return scenario_of(["round-robin"], customers, arms, purse=purse, horizon=200)


FAILED = r"failed for customer 141 of replication 0 \(test_errors.py, line \d+\): .*by zero"


@pytest.mark.parametrize(
    ("broken", "who", "did"),
    [
        ({"where": 1}, "behaviour", "failed"),
        ({"where": 2}, "behaviour", "failed"),
        ({"where": 3}, "behaviour", "reported inf as customer 141 of replication 0; a report is a"),
        ({"where": 4}, "behaviour", "failed"),
        ({"where": 5}, "pricing rule", "failed"),
        ({"where": 6}, "pricing rule", "failed"),
        ({"where": 7}, "pricing rule", "offered inf to customer 141 of replication 0; an offer is"),
        ({"pays": 1.5}, "law", "paid 1.5 to customer 9 of replication 0; a reward is a number"),
        ({"pays": -0.1}, "law", "paid -0.1 to customer 9 of replication 0; a reward is a number"),
    ],
    ids=str,
)
def test_the_right_function_is_blamed(broken, who, did):
    """Whose function it was, for which customer and where: the same in both engines."""
    said = [complaint(frail(**broken), engine) for engine in ("market", "batch")]
    assert said[0] == said[1]
    expected = FAILED if did == "failed" else re.escape(did)
    assert re.match(f"{who} 'test-frail' {expected}", said[0])


def dizzy_money_value(t, params):
    """No number for customer 141."""
    return math.nan if params.where == 3 and t == 141 else 1.0


def dizzy_value(t, book, values, params):
    """The record, and what no number is for customer 141."""
    values[:] = book.means
    if t == 141:
        values[0] = math.nan if params.where == 1 else math.inf if params.where == 2 else 0.5


@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize(
    "more", [{}, {"decision": {"rule": "logit"}}, {"knows": "customers"}], ids=str
)
def test_values_that_are_no_numbers_are_refused(more):
    """Nothing is more or less than NaN, so both engines refuse it, however customers decide."""
    where = Parameter(0, "what goes wrong")
    behaviour("test-dizzy", money_value=dizzy_money_value, where=where)(dizzy_value)
    decided = {word: each for word, each in more.items() if word == "decision"}
    purse = {word: each for word, each in more.items() if word == "knows"}
    for where, what in {1: "an arm", 2: "an arm", 3: "money"}.items():
        customers = {"behaviour": "test-dizzy", "where": where, **decided}
        found = scenario_of(["round-robin"], customers, purse=purse, horizon=200)
        said = [complaint(found, engine) for engine in ("market", "batch")]
        assert said[0] == said[1]
        assert said[0] == (
            "behaviour 'test-dizzy' failed for customer 141 of replication 0: the value of "
            f"{what} must be a finite number"
        )


def test_a_market_of_users_functions_that_hold():
    """The same functions, when nothing goes wrong, do the same in both engines."""
    assert_same(*(play(frail(), engine=engine) for engine in ("market", "batch")))


@policy("test-unlucky")
def choose_unluckily(t, book, memory, params, rng):
    """Divides by zero now and then."""
    return 0 if 1.0 / int(rng.random() * 200.0) < 2.0 else 1


@pytest.mark.slow
def test_the_first_replication_that_fails_is_named():
    """In a run of many replications the message says which one, whatever the engine."""
    scenario = scenario_of(["test-unlucky"], horizon=30, replications=40)
    said = {complaint(scenario, engine, simulate) for engine in ("market", "batch")}
    assert len(said) == 1
    assert "of replication 0" not in said.pop()


@pytest.mark.parametrize("engine", ["market", "batch"])
def test_payments_that_feed_on_themselves_are_refused(engine):
    """Reports that grow with payments, which grow with reports, end in words and not in NaN."""
    customers = {"behaviour": "nasty-grateful"}
    purse = {"offer": {"rule": "proportional-margin", "share": 100.0}}
    scenario = scenario_of(["round-robin"], customers, horizon=2000, purse=purse)
    assert complaint(scenario, engine) == (
        "pricing rule 'proportional-margin' offered inf to customer 105 of replication 0; "
        "an offer is a finite number >= 0"
    )


@pytest.mark.parametrize(
    ("policy", "customers"),
    [
        pair if pair == ("ucb", "greedy") else pytest.param(*pair, marks=pytest.mark.slow)
        for pair in [*PAIRS, *((policy, "greedy") for policy in SELDOM)]
    ],
)
def test_own_functions_raise_no_doubts(policy, customers):
    """The package's own functions never set a flag: nothing of theirs is played again."""
    table = {"behaviour": customers}
    if BEHAVIOURS[customers].compose:
        table["of"] = [{"behaviour": "greedy", "weight": 1.0}]
    arms = [
        {"law": "bernoulli", "means": NINE_ARMS},
        {"law": "beta", "means": [0.5, 0.3], "concentration": 4.0},
        {"law": "uniform", "low": [0.0], "high": [0.8]},
    ]
    scenario = scenario_of([policy], table, arms, horizon=2000)
    doubts = []
    points = np.array([scenario.horizon])
    run_batch(scenario, scenario.policies[0], 0, 5, points, lambda *where: doubts.append(where))
    assert doubts == []


@pytest.mark.slow
def test_a_doubt_that_the_market_does_not_share_changes_nothing():
    """A run that is stopped for every doubt and goes on gives the sums of the market."""
    scenario = scenario_of(["test-doubtful"], horizon=1500, replications=3)
    asked = []
    replay = Replay(scenario, scenario.policies[0])

    def ask(replication, customers):
        asked.append((replication, customers))
        replay(replication, customers)

    points = np.array([700, 1024, 1500])
    batch = run_batch(scenario, scenario.policies[0], 0, 3, points, ask)
    assert asked == [(each, last) for each in range(3) for last in (512, 1024, 1500)]
    market = [
        tally(run_market(scenario, scenario.policies[0], each), scenario.market.means, points)
        for each in range(3)
    ]
    assert np.concatenate([each.curves for each in market]).tobytes() == batch.curves.tobytes()


@policy("test-doubtful", memory={"large": 1})
def choose_doubtfully(t, book, memory, params, rng):
    """Lets a product grow beyond all floats, which Python does not mind."""
    memory.large[0] = 1e300 + 1e290 * t
    return 0 if float(memory.large[0]) * 1e10 > t else 1
