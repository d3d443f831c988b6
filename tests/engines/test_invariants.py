"""What holds in every market, checked on random ones against a book rebuilt from the ledger."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm import make_scenario, play, simulate
from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.model.book import empty_book, record
from tests.markets import (
    BEHAVIOUR_NAMES,
    EACH_POLICY,
    NINE_ARMS,
    PAIRS,
    POLICY_NAMES,
    default_customers,
    experiments,
    replications,
)
from tests.replay import asked_pages, tape

TOLERANCE = 1e-12

# Customers who report what they got, so that the book can be rebuilt from the rewards.
TRUTHFUL = [(p, b) for p, b in PAIRS if b not in ("drifted-feedback", "mixture")]


def played(data, policies, behaviour=None, **options):
    """A random market in which these policies are played, with one trajectory for each.

    Unless told, its customers are of a kind that all these policies meet elsewhere in the tests.
    """
    if behaviour is None:
        met = [b for b in BEHAVIOUR_NAMES if all((each, b) in TRUTHFUL for each in policies)]
        behaviour = data.draw(st.sampled_from(met))
    scenario = make_scenario(data.draw(experiments(policies, behaviour, **options)))
    replication = data.draw(replications)
    runs = [play(scenario, each.label, replication, "batch") for each in scenario.policies]
    return scenario, replication, runs


@pytest.mark.parametrize("policy", EACH_POLICY)
@given(data=st.data())
def test_greedy_customers_take_the_target(policy, data):
    """The least offer is never refused by a greedy customer, whatever the rounding."""
    _, _, [run] = played(data, [policy], "greedy", longest=400)
    assert run.arms.tolist() == run.targets.tolist()


@pytest.mark.parametrize("policy", POLICY_NAMES)
@given(data=st.data())
def test_the_first_customers_seed_the_arms(policy, data):
    """Customers 1 to N are directed to arms 1 to N in order, and Com does not pay for them."""
    scenario, _, [run] = played(data, [policy], all_report=True)
    arms = len(scenario.market.arms)
    first = min(arms, scenario.horizon)
    assert run.seeded.tolist() == [True] * first + [False] * (scenario.horizon - first)
    assert run.targets[:first].tolist() == list(range(first))
    assert run.arms[:first].tolist() == list(range(first))
    assert not run.payments[:first].any()
    assert not run.offers[:first].any()


@pytest.mark.parametrize(("policy", "behaviour"), TRUTHFUL)
@given(data=st.data())
def test_the_offer_is_the_gap_and_is_paid_when_taken(policy, behaviour, data):
    """The offer is max_j m_j - m_target to the last bit; who takes another arm gets nothing."""
    scenario, _, [run] = played(data, [policy], behaviour, all_report=True)
    for page in asked_pages(run, len(scenario.market.arms)):
        assert page.offer == max(page.means) - page.means[page.target]
        assert page.payment == (page.offer if page.arm == page.target else 0.0)


@given(data=st.data())
def test_ucb_pays_no_more_than_the_width_of_its_target(data):
    """UCB's payment is at most sqrt(2 ln t / N_a), nothing if no arm has been pulled more."""
    scenario, _, [run] = played(data, ["ucb"], longest=200, all_report=True)
    for page in asked_pages(run, len(scenario.market.arms)):
        width = math.sqrt(2 * math.log(page.customer) / page.pulls[page.target])
        most_pulled = page.pulls[page.target] == max(page.pulls)
        assert page.offer <= (0.0 if most_pulled else width) + TOLERANCE


@given(data=st.data())
def test_ucb_promotes_the_highest_bound(data):
    """UCB's target has the highest m_i + sqrt(2 ln t / N_i), with t the customer's number."""
    scenario, _, [run] = played(data, ["ucb"], longest=200, all_report=True)
    for page in asked_pages(run, len(scenario.market.arms)):
        bounds = [
            mean + math.sqrt(2 * math.log(page.customer) / count)
            for mean, count in zip(page.means, page.pulls, strict=True)
        ]
        assert bounds[page.target] >= max(bounds) - TOLERANCE


@given(data=st.data())
def test_modified_ts_pays_nothing_on_empirical_steps(data):
    """All customers of a round but the last get an arm with the best record, for nothing."""
    scenario, _, [run] = played(data, ["modified-ts"], "greedy", longest=60, all_report=True)
    arms, round_ = len(scenario.market.arms), scenario.policies[0].params.free_customers + 1
    for page in asked_pages(run, arms):
        if (page.customer - arms) % round_ != 0:
            assert page.means[page.target] == max(page.means)
            assert page.payment == 0.0


def test_modified_ts_pays_on_some_sampled_steps():
    """The second customer of a round is paid often enough for the test above to mean something."""
    scenario = nine_arms("modified-ts", 1001)
    steps = asked_pages(play(scenario), 9)
    paid = Counter((page.customer - 9) % 2 for page in steps if page.payment > 0.0)
    assert set(paid) == {0}
    assert paid[0] > 20


def nine_arms(policy, horizon, **settings):
    """The paper's instance under one policy."""
    return make_scenario(
        {
            "horizon": horizon,
            "replications": 2,
            "market": {"arms": {"law": "bernoulli", "means": NINE_ARMS}},
            "policy": [{"name": policy, **settings}],
        }
    )


class Coins:
    """A generator that tosses the coins it was given and counts them."""

    def __init__(self, coins):
        self.coins = list(coins)
        self.tossed = 0

    def random(self):
        """The next coin."""
        self.tossed += 1
        return self.coins[self.tossed - 1]


def book_with(means):
    """A book in which every arm has one report."""
    book = empty_book(len(means))
    for arm, mean in enumerate(means):
        record(book, arm, mean)
    return book


@given(
    means=st.lists(st.integers(0, 99), min_size=2, max_size=9, unique=True),
    coins=st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=60),
    epsilon=st.floats(0.5, 30.0),
)
def test_modified_epsilon_greedy_explores_by_turns(means, coins, epsilon):
    """Explorations go round the arms from the first on; exploitation does not move the turn."""
    entry = POLICIES["modified-epsilon-greedy"]
    book, rng = book_with([mean / 100 for mean in means]), Coins(coins)
    memory = memory_of(entry, len(means))
    explored = []
    for place, coin in enumerate(coins):
        t = len(means) + 1 + place
        arm = entry.ask(
            "act", t=t, book=book, memory=memory, params=entry.params((epsilon,)), rng=rng
        )
        if coin * t < epsilon:
            explored.append(arm)
        else:
            assert arm == np.argmax(means)
    assert explored == [turn % len(means) for turn in range(len(explored))]
    assert rng.tossed == len(coins)


def memory_of(entry, arms):
    """The empty memory of a policy."""
    return entry.memory_fields(entry.blank_memory(arms, entry.defaults()))


def test_modified_epsilon_greedy_that_always_explores_is_a_round_robin():
    """With a huge epsilon the targets after the first N are arms 1, 2, ..., N, 1, ..."""
    run = play(nine_arms("modified-epsilon-greedy", 100, epsilon=1e9))
    assert run.targets.tolist() == [customer % 9 for customer in range(100)]


def test_modified_epsilon_greedy_explores_all_arms_equally_often():
    """Where one arm always leads, the paid explorations of any two others differ by at most one."""
    arms = [
        {"law": "bernoulli", "means": [1.0]},
        {"law": "uniform", "low": [0.1] * 6, "high": [0.9] * 6},
    ]
    scenario = make_scenario(
        {
            "horizon": 3000,
            "market": {"arms": arms},
            "policy": [{"name": "modified-epsilon-greedy", "epsilon": 50.0}],
        }
    )
    run = play(scenario)
    paid = Counter(run.targets[run.payments > 0.0].tolist())
    assert sorted(paid) == [1, 2, 3, 4, 5, 6]
    assert max(paid.values()) - min(paid.values()) <= 1
    assert min(paid.values()) > 10


@given(data=st.data())
def test_greedy_pays_nothing(data):
    """Without exploration nobody needs to be compensated."""
    _, _, [run] = played(data, ["greedy"])
    assert not run.offers.any()
    assert not run.payments.any()


@given(data=st.data())
def test_round_robin_pulls_differ_by_at_most_one(data):
    """Everybody's turn comes before anybody's comes twice."""
    scenario, _, [run] = played(data, ["round-robin"], "greedy", all_report=True)
    pulls = np.bincount(run.arms, minlength=len(scenario.market.arms))
    assert pulls.max() - pulls.min() <= 1


@given(data=st.data())
def test_rewards_come_from_the_tapes(data):
    """The k-th reward of arm i is entry k of its tape, whatever policy and customers do."""
    for policies, behaviour in [(POLICY_NAMES, "greedy"), *((["ucb"], b) for b in BEHAVIOUR_NAMES)]:
        scenario, replication, runs = played(data, policies, behaviour, longest=20)
        for arm in range(len(scenario.market.arms)):
            told = [run.rewards[run.arms == arm].tolist() for run in runs]
            truth = tape(scenario, replication, arm, max(map(len, told)))
            assert all(rewards == truth[: len(rewards)] for rewards in told)


def test_rewards_are_the_same_for_every_policy_and_behaviour():
    """Two controllers of one market see the same rewards of an arm, as far as both pull it."""
    told = []
    for policy, behaviour in PAIRS:
        run = play(uniform_arms(policy, behaviour, seed=8), replication=4)
        told.append([run.rewards[run.arms == arm].tolist() for arm in range(3)])
    for arm in range(3):
        longest = max((each[arm] for each in told), key=len)
        assert len(longest) > 50
        assert all(each[arm] == longest[: len(each[arm])] for each in told)


@pytest.mark.parametrize(("seed", "replication"), [(8, 5), (9, 4)])
def test_rewards_differ_between_replications_and_seeds(seed, replication):
    """Another replication or another seed is another world, for every arm."""
    here = play(uniform_arms("round-robin", "greedy", seed=8), replication=4)
    there = play(uniform_arms("round-robin", "greedy", seed=seed), replication=replication)
    assert not np.isin(here.rewards, there.rewards).any()
    assert len(set(here.rewards.tolist())) == len(here)


def uniform_arms(policy, behaviour, seed):
    """Three arms whose rewards hardly ever coincide."""
    return make_scenario(
        {
            "horizon": 200,
            "seed": seed,
            "market": {
                "arms": {"law": "uniform", "low": [0.0, 0.1, 0.2], "high": [1.0, 0.8, 0.7]},
                "customers": default_customers(behaviour),
            },
            "policy": [{"name": policy}],
        }
    )


@given(data=st.data())
def test_regrets_and_rewards_stay_within_their_bounds(data):
    """Regret is the gap of the arm taken, never negative; rewards are in the arm's support."""
    scenario, _, [run] = played(data, [data.draw(st.sampled_from(POLICY_NAMES))])
    means = [arm.mean for arm in scenario.market.arms]
    assert run.regrets.tolist() == [max(means) - means[arm] for arm in run.arms]
    assert np.all(run.regrets >= 0.0)
    for arm, entry in enumerate(scenario.market.arms):
        for reward in run.rewards[run.arms == arm].tolist():
            assert within_support(reward, entry)


def within_support(reward, arm):
    """Whether an arm can pay this."""
    if arm.law.name == "bernoulli":
        return reward in (0.0, 1.0)
    if arm.law.name == "uniform":
        return arm.row[0] <= reward <= arm.row[1]
    if arm.law.name == "discrete":
        return reward in arm.row[1 : 1 + int(arm.row[0])]
    return 0.0 <= reward <= 1.0


@given(data=st.data())
def test_pulls_add_up_to_the_horizon(data):
    """Every customer pulls one arm or leaves; what is paid for the arms is the compensation."""
    policy, behaviour = data.draw(st.sampled_from(PAIRS))
    scenario = make_scenario(data.draw(experiments([policy], behaviour)))
    results = simulate(scenario, engine="batch")
    arms = results.arms()
    stayed = 1.0 - results.summary().left[0]
    assert arms.pulls.sum() == pytest.approx(scenario.horizon * stayed)
    assert arms.compensation.sum() == pytest.approx(results.summary().compensation[0], abs=1e-9)


@given(data=st.data())
def test_a_lost_report_leaves_the_book_alone(data):
    """Offers are gaps of the reported means only: with all reports lost, arms stay unseeded."""
    settings_ = data.draw(experiments(["ucb"], longest=20))
    settings_["market"]["report_probability"] = 1e-300
    run = play(make_scenario(settings_))
    assert run.seeded.all()
    counts = Counter(run.targets.tolist())
    assert max(counts.values()) - min(counts.values()) <= 1
