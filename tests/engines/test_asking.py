"""Functions ask by name: horizon, purse, arm, customers' answers; the same in both engines."""

from __future__ import annotations

import numpy as np
import pytest

from kcmab_abm import Parameter, leader, make_scenario, play, policy, pricing
from kcmab_abm.errors import PlayError
from tests.markets import assert_same

ENGINES = ["market", "batch"]


@policy("test-last-third", memory={"promoted": "horizon"})
def explore_early(t, horizon, book, memory, rng):
    """Takes turns during the first third of the customers, then follows the leader."""
    target = t % len(book.means) if 3 * t <= horizon else leader(book, rng)
    memory.promoted[t - 1] = target
    return int(memory.promoted[t - 1])


@policy("test-thrifty", limit=Parameter(1.0, "what it spends in all"))
def choose_thriftily(t, book, purse, customer, params, rng):
    """Takes turns until so much is spent, then follows the leader."""
    if purse.spent[0] < params.limit:
        return (t + customer.kind) % len(book.means)
    return leader(book, rng)


def count_answers(t, target, offer, arm, memory):
    """Remember what was refused, and who left."""
    if arm < 0:
        memory.left[0] += 1.0
    elif arm != target:
        memory.refused[target] += 1.0
        memory.dearest[0] = max(memory.dearest[0], offer)


@policy(
    "test-listener", answered=count_answers, memory={"left": 1, "refused": "arms", "dearest": 1}
)
def choose_by_answers(t, book, memory):
    """Promotes what was refused least; those who left push it on."""
    target = int(memory.left[0]) % len(book.means)
    for arm in range(len(book.means)):
        if memory.refused[arm] < memory.refused[target]:
            target = arm
    return target


def raise_margin(arm, taken, memory):
    """A refusal raises the margin of that arm."""
    if not taken:
        memory.margin[arm] += 0.01


@pricing("test-per-arm", answered=raise_margin, memory={"margin": "arms"})
def price_by_arm(arm, gap, book, purse, horizon, memory):
    """Offers the gap and the margin of the arm, less as money runs out, most for unknown arms."""
    return (gap + memory.margin[arm]) / (1.0 + purse.spent[0] / horizon) + 0.1 / book.pulls[arm]


def scenario(name, horizon=400, purse=None, customers=None, **settings):
    """A market in which a policy of this file promotes arms."""
    market = {"arms": {"law": "bernoulli", "means": [0.7, 0.6, 0.4]}}
    if customers:
        market["customers"] = customers
    return make_scenario(
        {
            "horizon": horizon,
            "replications": 2,
            "market": market,
            "purse": purse or {},
            "policy": [{"name": name, **settings}],
        }
    )


LOGIT = {"behaviour": "logit", "tau": 0.1}
LEAVERS = {"behaviour": "outside-option", "worth": 1.05}
CASES = {
    "horizon": scenario("test-last-third"),
    "purse": scenario("test-thrifty"),
    "purse with a budget": scenario("test-thrifty", purse={"budget": 0.5}),
    "answers": scenario("test-listener", customers=LOGIT),
    "departures": scenario("test-listener", customers=LEAVERS),
    "price": scenario("ucb", purse={"offer": {"rule": "test-per-arm"}}, customers=LOGIT),
    "price beside": scenario(
        "ucb", purse={"offer": {"rule": "test-per-arm"}, "also": 1}, customers=LOGIT
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_both_engines_hand_out_the_same(case):
    """Whatever a function asks for, it is the same number in both engines."""
    runs = [play(case, replication=1, engine=engine) for engine in ENGINES]
    assert_same(*runs)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_horizon_is_that_of_the_scenario(engine):
    """A policy may plan for the end: a third of the customers is sent around."""
    run = play(scenario("test-last-third", horizon=300), engine=engine)
    assert run.targets[3:100].tolist() == [t % 3 for t in range(4, 101)]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_purse_says_what_was_spent(engine):
    """Sums are kept for a policy that asks for them, though nothing limits them."""
    run = play(scenario("test-thrifty", limit=1.0), engine=engine)
    spent = np.cumsum(run.payments)
    stops = int(np.argmax(spent >= 1.0))
    assert spent[-1] == spent[stops] < 1.0 + 1.0
    assert (run.payments[stops + 1 :] == 0.0).all()


def test_answers_are_heard_at_once():
    """A customer who leaves changes what the next one is promoted, without delay or report."""
    run = play(scenario("test-listener", customers=LEAVERS), engine="market")
    left = np.cumsum(run.arms < 0)
    assert left[-1] > 3
    listening = ~run.seeded
    refusals = np.zeros((len(run), 3))
    for t in range(len(run)):
        if listening[t] and run.arms[t] >= 0 and run.arms[t] != run.targets[t]:
            refusals[t, run.targets[t]] = 1.0
    assert not refusals.any()  # greedy with an outside option: she takes the target or leaves
    before = np.concatenate([[0], left[:-1]])
    assert (run.targets[listening] == before[listening] % 3).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_purse_is_for_reading(engine):
    """A policy that writes to the purse is refused by both engines in the same words."""

    @policy("test-thief")
    def steal(purse):
        """Takes what was spent back."""
        purse.spent[0] = 0.0
        return 0

    with pytest.raises(PlayError, match=r"policy 'test-thief' failed for customer 4 .*read-only"):
        play(scenario("test-thief"), engine=engine)
