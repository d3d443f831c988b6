"""An environment's step is the batch engine's customer, and the market engine's, bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kcmab_abm as kcmab
from tests.fuzz.scenarios import Combo, draw_combo, draw_scenario
from tests.gym.stepping import ACTIONS, actions_at, assert_alike, draw_scripts
from tests.registry import own_catalogue

PAPER = Combo("greedy", ("greedy",), varied=True)  # whose kernels other tests need as well
LEARNED = Combo("greedy", ("drifted-feedback", "optimism"), "learned-margin", varied=True)


@pytest.mark.parametrize("action", ACTIONS)
@settings(max_examples=25)
@given(draw=st.integers(0, 2**32), first=st.integers(0, 3))
def test_a_step_is_that_of_a_market_stepped_by_hand(action, draw, first):
    """Observations, events and rewards agree, with purses that run short and lost reports."""
    scenario = kcmab.make_scenario(draw_scenario(np.random.default_rng(draw), PAPER))
    assume(not scenario.market.is_random)  # those are stepped in the market engine only
    assert_alike(scenario, action, count=3, seed=draw, first=first)


@pytest.mark.slow  # a kernel for each
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("number", range(6))
def test_all_customers_and_pricing_rules_agree(number, action):
    """Rules with a memory of their own are asked and told as in a market stepped by hand."""
    rng = np.random.default_rng([7, number])
    combo = draw_combo(rng)._replace(timed=False, visible=False) if number else LEARNED
    for example in range(20):
        scenario = kcmab.make_scenario(draw_scenario(rng, combo))
        if scenario.market.is_random:
            continue
        assert_alike(scenario, action, count=2, seed=example)


def test_following_a_policy_is_the_policy():
    """The targets of a recorded run lead to its trajectory, and so does the batch engine."""
    scenario = kcmab.make_scenario(
        {
            "horizon": 300,
            "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.8, 0.5]}},
            "policy": [{"name": "round-robin"}],
        }
    )
    runs = [kcmab.play(scenario, replication=each, engine="market") for each in range(2)]
    envs = kcmab.gym.make_vec(scenario, 2, reward="regret", price=2.0)
    assert envs.engine == "batch"
    envs.reset()
    for line in range(300):
        _, rewards, _, _, infos = envs.step(np.array([run.targets[line] for run in runs]))
        for place, run in enumerate(runs):
            assert infos["arm"][place] == run.arms[line]
            assert infos["reward"][place] == run.rewards[line]
            assert infos["payment"][place] == run.payments[line]
            assert rewards[place] == -(run.regrets[line] + 2.0 * run.payments[line])


@pytest.mark.parametrize("action", ACTIONS)
def test_customers_who_overlap_run_on_the_market_engine(action):
    """A reward arrives with the end of a visit, and the last step waits for everybody."""
    market = {"arms": {"law": "bernoulli", "means": [0.9, 0.5]}, "service_time": 2.5, "capacity": 1}
    scenario = kcmab.make_scenario(
        {"horizon": 30, "market": market, "policy": [{"name": "greedy"}], "replications": 2}
    )
    envs = kcmab.gym.make_vec(scenario, 2, action=action)
    assert envs.engine == "market"
    scripts, total = draw_scripts(scenario, 2, 0), np.zeros(2)
    envs.reset()
    known = []
    for line in range(30):
        _, rewards, _, _, infos = envs.step(actions_at(scripts, line, action))
        known.append(infos["_arm"].tolist())
        total += rewards
    assert known[0] == [False, False]
    for place, script in enumerate(scripts):
        one = kcmab.open_market(scenario, None, place)
        events = [
            one.step(int(target), None if action == "target" else float(offer))
            for target, offer in zip(*script, strict=True)
        ]
        wanted = sum(event.reward - event.payment for event in events)
        assert total[place] == pytest.approx(wanted, abs=1e-9)
    with pytest.raises(kcmab.MarketError, match=r"overlap in time.*use engine 'auto' or 'market'"):
        kcmab.gym.make(scenario, engine="batch")


def divides(t, board):
    """Divides by zero at customer 90, who comes after the engines' trial."""
    return board.target if t != 90 else board.target // (t - 90)


def is_lost(t, board):
    """Takes an arm that does not exist."""
    return board.target if t != 90 else 5


def has_no_logarithm(t, board):
    """Takes the logarithm of 0, which is infinite in compiled code."""
    return board.target if math.log(abs(t - 90.0)) > -1.0 else 0


def overflows(t, board):
    """Multiplies beyond the largest number, which Python allows."""
    return board.target if t < 90 or t * 1e308 > 1e300 else 0


def customers(take):
    """A market of customers with this behaviour."""
    kcmab.behaviour("test-suspected")(take)
    market = {
        "arms": {"law": "bernoulli", "means": [0.2, 0.9]},
        "customers": {"behaviour": "test-suspected"},
    }
    return kcmab.make_scenario({"horizon": 100, "market": market, "policy": [{"name": "greedy"}]})


@pytest.mark.slow  # a kernel for each
@pytest.mark.parametrize("take", [divides, is_lost, has_no_logarithm])
def test_an_error_is_that_of_the_market_engine(take):
    """A behaviour that fails in compiled code is repeated in Python, which says where and why."""
    with own_catalogue():
        scenario = customers(take)
        said = []
        for engine in ("market", "batch"):
            envs = kcmab.gym.make_vec(scenario, 3, engine=engine)
            envs.reset(options={"replication": 3})
            for _ in range(89):
                envs.step([1, 1, 0])
            with pytest.raises(kcmab.MarketError, match="customer 90 of replication 3") as error:
                envs.step([1, 1, 0])
            said.append(str(error.value))
            with pytest.raises(kcmab.MarketError, match="reset"):
                envs.step([1, 1, 0])
            envs.reset()
            envs.step([1, 1, 0])
        assert said[0] == said[1]


@pytest.mark.slow  # a kernel of its own
def test_what_is_suspected_wrongly_goes_on():
    """The market engine finds no error, so the steps are what they were."""
    with own_catalogue():
        assert_alike(customers(overflows), "target-and-offer")
