"""The lattice of ones and zeros against counts by hand and by brute force."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm import MarketError, play
from kcmab_abm.paths import LatticeRecorder, reward_lattice

from .runs import make_run, many_runs, recorded, small_scenario


def history(run, arm, pulls):
    """The names of the points through which a run passes, and whether it stops at the last."""
    rewards = [
        int(reward) for reward, taken in zip(run.rewards, run.arms, strict=True) if taken == arm
    ]
    ones = list(accumulate(rewards[:pulls], initial=0))
    return [f"{one}-{k - one}" for k, one in enumerate(ones)], len(rewards) <= pulls


def test_two_runs_by_hand():
    """Histories 1, 0 and 1, 1, 0 of arm 1 meet in one point and part."""
    runs = [
        make_run([1, 0, 1], rewards=[1, 1, 0]),
        make_run([1, 1, 0, 1], rewards=[1, 1, 0, 0]),
    ]
    lattice = recorded(LatticeRecorder(1), runs)
    visits = {name: (node["visits"], node["stopped"]) for name, node in lattice.nodes.items()}
    assert visits == {"0-0": (2, 0), "1-0": (2, 0), "1-1": (1, 1), "2-0": (1, 0), "2-1": (1, 1)}
    assert lattice.nodes["1-1"] == {
        "ones": 1,
        "zeros": 1,
        "visits": 1,
        "share": 0.5,
        "stopped": 1,
    }
    assert lattice.edges["1-0", "2-0"] == {"visits": 1, "share": 0.5}


@given(many_runs, st.integers(0, 2), st.integers(1, 5))
def test_points_equal_brute_force(runs, arm, pulls):
    """Visits, stops and steps are those of the histories, and nothing else is there."""
    lattice = recorded(LatticeRecorder(arm, pulls), runs)
    told = [history(run, arm, pulls) for run in runs]
    assert set(lattice) == {point for points, _ in told for point in points}
    for name, node in lattice.nodes.items():
        assert node["visits"] == sum(name in points for points, _ in told)
        assert node["share"] == node["visits"] / len(runs)
        assert node["stopped"] == sum(points[-1] == name and stops for points, stops in told)
    steps = [step for points, _ in told for step in pairwise(points)]
    assert {(i, j): n for i, j, n in lattice.edges(data="visits")} == {
        step: steps.count(step) for step in set(steps)
    }


@given(many_runs, st.integers(0, 2), st.integers(1, 5))
def test_no_run_is_lost(runs, arm, pulls):
    """Whoever comes to a point goes on or stops there, unless it is as far as one follows."""
    lattice = recorded(LatticeRecorder(arm, pulls), runs)
    for name, node in lattice.nodes.items():
        gone = sum(step["visits"] for _, _, step in lattice.out_edges(name, data=True))
        if node["ones"] + node["zeros"] < pulls:
            assert gone + node["stopped"] == node["visits"]
        else:
            assert gone == 0


def test_a_scenario_is_replayed():
    """The best arm is followed unless another is named."""
    scenario = small_scenario()
    for arm in (None, 2):
        runs = [play(scenario, None, each, engine="market") for each in range(12)]
        expected = recorded(LatticeRecorder(arm or 0, 8), runs)
        lattice = reward_lattice(scenario, arm=arm, pulls=8, engine="market")
        assert dict(lattice.nodes) == dict(expected.nodes)
        assert lattice.graph["arm"] == (arm or 0)
        assert lattice.graph["policy"] == "ucb"


def test_rewards_between_are_refused():
    """Arms that can pay something between 0 and 1 get one message that says what is needed."""
    scenario = small_scenario(
        market={"arms": {"law": "beta", "means": [0.7, 0.2], "concentration": 2.0}}
    )
    with pytest.raises(MarketError, match=r"arm 1: .* 0 or 1, .* 'beta'"):
        reward_lattice(scenario, arm=1)


@pytest.mark.parametrize(("values", "fine"), [([0.0, 1.0], True), ([0.0, 0.5, 1.0], False)])
def test_a_discrete_law_may_do(values, fine):
    """It is the rewards that count, not the name of the law; impossible ones do not."""
    sure = {"law": "discrete", "values": [0.0, 0.5, 1.0], "probabilities": [[0.5, 0.0, 0.5]]}
    chances = [1 / len(values)] * len(values)
    given_law = {"law": "discrete", "values": values, "probabilities": [chances]}
    scenario = small_scenario(market={"arms": [sure, given_law]}, policy=[{"name": "greedy"}])
    assert reward_lattice(scenario, arm=0, engine="market").graph["arm"] == 0
    if fine:
        assert reward_lattice(scenario, arm=1, engine="market").graph["arm"] == 1
    else:
        with pytest.raises(MarketError, match="0 or 1"):
            reward_lattice(scenario, arm=1, engine="market")


@pytest.mark.parametrize("arm", [-1, 3])
def test_an_arm_that_is_not_there(arm):
    """The message names the arms there are."""
    with pytest.raises(MarketError, match=rf"0\.\.2, got {arm}"):
        reward_lattice(small_scenario(), arm=arm)


def test_no_pulls_to_follow():
    """A lattice without a pull is refused."""
    with pytest.raises(ValueError, match="pulls must be >= 1"):
        LatticeRecorder(0, 0)
