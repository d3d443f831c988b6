"""The contract of Gymnasium, and what the environments promise beyond it."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import FlattenObservation
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

import kcmab_abm as kcmab
from tests.gym.stepping import ACTIONS, actions_at, draw_scripts

ARMS = {"law": "bernoulli", "means": [0.9, 0.5, 0.1]}


def small(horizon=12, **changes):
    """Three arms, and a purse that runs short."""
    table = {
        "horizon": horizon,
        "seed": 5,
        "market": {"arms": ARMS},
        "purse": {"budget": 1.5, "cap": 0.75},
        "policy": [{"name": "greedy"}],
    }
    return kcmab.make_scenario({**table, **changes})


def episodes(envs, count, script):
    """What is observed and earned in some episodes of a vector environment."""
    found = []
    for _ in range(count):
        for line in range(envs.scenario.horizon):
            observed, rewards, *_ = envs.step(actions_at(script, line, "target"))
            found.append((observed["pulls"].tolist(), rewards.tolist()))
        envs.step(actions_at(script, 0, "target"))  # begins the next episode
    return found


@pytest.mark.parametrize("engine", ["market", "batch"])
@pytest.mark.parametrize("action", ACTIONS)
def test_gymnasium_finds_nothing_wrong(engine, action):
    """`check_env` raises or warns if the contract of an environment is broken."""
    env = kcmab.gym.make(small(), action=action, engine=engine)
    check_env(env, skip_render_check=True)


@pytest.mark.parametrize("engine", ["market", "batch"])
def test_markets_side_by_side_are_single_markets(engine):
    """A vector environment is a `SyncVectorEnv` of environments in the same replications."""
    scenario, count = small(), 3
    envs = kcmab.gym.make_vec(scenario, count, action="target-and-offer", engine=engine)
    singles = [kcmab.gym.make(scenario, action="target-and-offer") for _ in range(count)]
    sync = SyncVectorEnv([lambda env=env: env for env in singles])
    assert envs.observation_space == sync.observation_space
    assert envs.action_space == sync.action_space
    assert envs.metadata["autoreset_mode"] == sync.metadata["autoreset_mode"]
    envs.reset()
    for place, env in enumerate(singles):
        env.reset(options={"replication": place})
    scripts = draw_scripts(scenario, count, 1)
    for line in range(scenario.horizon):
        actions = actions_at(scripts, line, "target-and-offer")
        observed, rewards, terminated, truncated, infos = envs.step(actions)
        assert observed in envs.observation_space
        for place, env in enumerate(singles):
            action = {word: column[place] for word, column in actions.items()}
            one, reward, over, late, info = env.step(action)
            assert all((one[word] == observed[word][place]).all() for word in one)
            assert (reward, over, late) == (
                rewards[place],
                terminated[place],
                truncated[place],
            )
            assert all(infos[f"_{word}"][place] for word in info)
            assert info == {word: infos[word][place] for word in info}


def test_the_step_after_the_last_begins_the_next_replications():
    """Its actions are ignored, nothing is earned, and markets go on where they would."""
    scenario = small()
    envs = kcmab.gym.make_vec(scenario, 2)
    envs.reset()
    script = draw_scripts(scenario, 2, 0)
    for line in range(12):
        _, _, terminated, _, infos = envs.step(actions_at(script, line, "target"))
    assert terminated.all()
    observed, rewards, terminated, truncated, infos = envs.step(np.array([0, 0]))
    assert observed["t"].tolist() == [[1], [1]]
    assert not np.any([rewards, terminated, truncated])
    assert infos["replication"].tolist() == [2, 3]
    assert infos["seed"].tolist() == [5, 5]


@pytest.mark.parametrize("engine", ["market", "batch"])
def test_no_step_changes_what_an_earlier_one_returned(engine):
    """Learners keep what they are handed."""
    scenario = small()
    envs = kcmab.gym.make_vec(scenario, 2, action="target-and-offer", engine=engine)
    scripts = draw_scripts(scenario, 2, 0)
    returned = [envs.reset()]
    for line in range(12):
        before = copy.deepcopy(returned)
        returned.append(envs.step(actions_at(scripts, line, "target-and-offer")))
        assert repr(returned[: line + 1]) == repr(before)


def test_a_seed_decides_everything():
    """Replications follow each other; a seed begins again, and is that of a scenario."""
    scenario = small()
    script = draw_scripts(scenario, 2, 0)
    envs = kcmab.gym.make_vec(scenario, 2)
    envs.reset()
    first = episodes(envs, 2, script)
    assert first[: len(first) // 2] != first[len(first) // 2 :]
    envs.reset(seed=5)
    assert episodes(envs, 2, script) == first
    envs.reset(seed=6)
    other = episodes(envs, 2, script)
    assert other != first
    elsewhere = kcmab.gym.make_vec(scenario.replace(seed=6), 2, engine="market")
    elsewhere.reset()
    assert episodes(elsewhere, 2, script) == other


def test_an_episode_is_a_market_from_its_first_customer_to_its_last():
    """Customers who are seeded are steps too, whatever the action; the end terminates."""
    env = kcmab.gym.make(small(horizon=5), reward="regret")
    observed, info = env.reset()
    assert info == {"seed": 5, "replication": 0}
    assert observed["t"].tolist() == [1]
    steps = [env.step(2) for _ in range(5)]
    assert [info["seeded"] for *_, info in steps] == [True] * 3 + [False] * 2
    assert [info["target"] for *_, info in steps] == [0, 1, 2, 2, 2]
    assert [over for _, _, over, _, _ in steps] == [False] * 4 + [True]
    assert not any(late for *_, late, _ in steps)
    assert steps[-1][0]["t"].tolist() == [6]
    assert sum(reward for _, reward, *_ in steps[:3]) == pytest.approx(-1.2)
    with pytest.raises(kcmab.MarketError, match=r"no customer is waiting; .*reset\(\)"):
        env.step(0)


def test_an_offer_is_what_the_purse_can_afford():
    """Beyond the cap or the budget it is treated like the price of a pricing rule."""
    for rest, wanted in {"refuse": [0.75, 0.0], "pay-rest": [0.75, 0.25]}.items():
        scenario = small(
            market={"arms": {"law": "bernoulli", "means": [1, 0, 0]}},
            purse={"budget": 1.0, "cap": 0.75, "when_short": rest},
        )
        env = kcmab.gym.make(scenario, action="target-and-offer")
        env.reset()
        for _ in range(3):
            observed, *_ = env.step({"target": 0, "offer": [0.0]})
        assert observed["affordable"].tolist() == [0.75]
        found = []
        for _ in range(2):
            observed, *_, info = env.step({"target": 0, "offer": [0.75]})
            found.append(info["payment"])
            assert observed["spent"].tolist() == [sum(found)]
        assert found == wanted
        assert observed["affordable"].tolist() == [1.0 - sum(found)]


def test_a_reward_can_be_any_function_of_the_customer():
    """It asks by name, and gets one number per customer."""

    def loyalty(arm, payment, t, horizon):
        """Only the last third counts."""
        return np.where(3 * t > 2 * horizon, (arm == 0) - 2.0 * payment, 0.0)

    env = kcmab.gym.make(small(), reward=loyalty)
    env.reset()
    steps = [env.step(1) for _ in range(12)]
    wanted = [(each["arm"] == 0) - 2.0 * each["payment"] for *_, each in steps[8:]]
    assert [reward for _, reward, *_ in steps] == [0.0] * 8 + wanted


def test_wrappers_of_gymnasium_fit():
    """A flat observation, for learners that take nothing else; the sums of an episode."""
    env = FlattenObservation(kcmab.gym.make(small()))
    observed, _ = env.reset()
    assert observed.shape == (3 + 3 + 1 + 1 + 1,)
    assert observed in env.observation_space
    envs = DictInfoToList(RecordEpisodeStatistics(kcmab.gym.make_vec(small(), 2)))
    envs.reset()
    total = np.zeros(2)
    for _ in range(12):
        _, rewards, _, _, infos = envs.step(np.array([1, 2]))
        total += rewards
    assert [info["episode"]["r"] for info in infos] == total.tolist()
    assert [info["episode"]["l"] for info in infos] == [12, 12]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"action": "offer"}, "no action 'offer'"),
        ({"reward": "proft"}, "no reward 'proft'. Did you mean 'profit'?"),
        ({"reward": lambda rewards: rewards}, "asks for 'rewards'.*Did you mean 'reward'"),
        ({"reward": "regret", "price": -1.0}, r"price=-1\.0: must be a finite number >= 0"),
        ({"reward": lambda t: t, "price": 2.0}, "a reward function sets its own price"),
        ({"largest_offer": 2.0}, "the pricing rule makes the offers"),
        ({"action": "target-and-offer", "largest_offer": 0.0}, "must be a number > 0"),
        ({"engine": "fast"}, "no engine 'fast'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    """The message says what is allowed."""
    with pytest.raises(kcmab.MarketError, match=message):
        kcmab.gym.make(small(), **settings)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ({"target": 3, "offer": 0.5}, r"target 3: no such arm; arms are 0\.\.2"),
        ({"target": -1, "offer": 0.5}, "target -1: no such arm"),
        ({"target": 0.5, "offer": 0.5}, r"target 0\.5: must be 1 whole number"),
        ({"target": 0, "offer": -0.1}, r"offer .*-0\.1.*: offers are numbers from 0 to 0\.75"),
        ({"target": 0, "offer": float("nan")}, "offer .*nan.*: offers are numbers"),
        ({"target": 0, "offer": "much"}, "offer 'much': must be 1 number"),
        (0, "must be {'target': ..., 'offer': ...}"),
    ],
)
def test_actions_outside_the_space_are_refused(action, message):
    """Nothing happens, and the episode goes on."""
    env = kcmab.gym.make(small(), action="target-and-offer")
    env.reset()
    with pytest.raises(kcmab.MarketError, match=message):
        env.step(action)
    observed, *_ = env.step({"target": 0, "offer": 0.0})
    assert observed["t"].tolist() == [2]


def test_fees_are_in_the_spaces():
    """Where offers may be negative, so may actions and what has been spent."""
    scenario = small(purse={"offer": {"rule": "least"}, "fees": True, "budget": 1.0})
    env = kcmab.gym.make(scenario, action="target-and-offer", largest_offer=0.5)
    env.reset()
    for _ in range(5):
        observed, *_, info = env.step({"target": 0, "offer": -0.5})
        assert observed in env.observation_space
        assert info["offer"] == (0.0 if info["seeded"] else -0.5)
    with pytest.raises(kcmab.MarketError, match=r"offers are numbers from -0\.5 to 0\.5"):
        env.step({"target": 0, "offer": -0.6})


@pytest.mark.usefixtures("_own_catalogue")
def test_visible_kinds_are_observed():
    """A controller who promotes by kind is the policy that does so, on the market engine."""
    kinds = [{"behaviour": "greedy", "weight": each} for each in (1.0, 0.0, 2.0)]
    customers = {"behaviour": "mixture", "visible": True, "of": kinds}
    kcmab.policy("by-kind")(lambda customer: customer.kind)
    scenario = small(policy=[{"name": "by-kind"}], horizon=40)
    scenario = scenario.at({"market.customers": customers})
    run = kcmab.play(scenario, engine="market")
    for num_envs in (None, 2):
        env = kcmab.gym.make(scenario) if num_envs is None else kcmab.gym.make_vec(scenario, 2)
        assert env.engine == "market"
        check_env(env, skip_render_check=True) if num_envs is None else None
        observed, _ = env.reset(seed=scenario.seed)
        first = (lambda column: column) if num_envs is None else (lambda column: column[0])
        for line in range(40):
            assert observed in env.observation_space
            observed, *_, infos = env.step(observed["kind"])
            assert first(infos["arm"]) == run.arms[line]
            assert first(infos["target"]) == run.targets[line]
        assert first(observed["kind"]) == 0  # nobody comes
    assert set(run.targets[3:].tolist()) == {0, 2}
    with pytest.raises(kcmab.MarketError, match="kinds of customers are visible; use engine 'auto"):
        kcmab.gym.make(scenario, engine="batch")


def test_other_refusals():
    """Sweeps, numbers of markets, options, seeds, rewards that are no numbers."""
    swept = small(sweep={"grid": {"horizon": [5, 6]}})
    with pytest.raises(kcmab.MarketError, match=r"sweep of 2 points.*replace\(sweep=None\)"):
        kcmab.gym.make(swept)
    with pytest.raises(kcmab.MarketError, match="num_envs=0: must be a number >= 1"):
        kcmab.gym.make_vec(small(), 0)
    envs = kcmab.gym.make_vec(small(), 2, reward=lambda arm: np.ones(3))
    with pytest.raises(kcmab.MarketError, match=r"seed \[1, 2\]: must be one number"):
        envs.reset(seed=[1, 2])
    with pytest.raises(kcmab.MarketError, match=r"no option 'replicatoin'\. Did you mean"):
        envs.reset(options={"replicatoin": 2})
    with pytest.raises(
        kcmab.MarketError, match="must be a whole number >= 0 and < 100,000,000, got -1"
    ):
        envs.reset(options={"replication": -1})
    with pytest.raises(kcmab.MarketError, match="must be between 0 and 9223372036854775807"):
        envs.reset(seed=2**63)
    envs.reset()
    with pytest.raises(kcmab.MarketError, match="must return one number per customer, here 2"):
        envs.step([0, 0])
    with pytest.raises(kcmab.MarketError, match="no customer is waiting"):
        envs.step([0, 0])


def test_gymnasium_is_not_imported_before_it_is_needed():
    """`import kcmab_abm` works without it, and `make` says what to install."""
    code = """
import sys
import kcmab_abm as kcmab
assert "gymnasium" not in sys.modules
sys.modules["gymnasium"] = None
for make in (kcmab.gym.make, lambda scenario: kcmab.gym.make_vec(scenario, 2)):
    try:
        make(None)
    except kcmab.MarketError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    words = 'environments need gymnasium, which is not installed; pip install "kcmab-abm[gym]"'
    assert done.stdout.splitlines() == [words] * 2


def test_compiled_markets_are_not_copied():
    """A copy would go on in the memory of the original."""
    for copied in (copy.deepcopy, copy.copy, pickle.dumps):
        with pytest.raises(kcmab.MarketError, match="cannot be copied or pickled"):
            copied(kcmab.gym.make(small())._episodes._markets._markets)


def test_the_base_classes():
    """Libraries recognise an environment by its class."""
    assert isinstance(kcmab.gym.make(small()), gymnasium.Env)
    assert isinstance(kcmab.gym.make_vec(small(), 2), gymnasium.vector.VectorEnv)
