"""Exact Bayes regret and compensation of a given policy, for two Bernoulli arms.

A policy is described by the probability that it promotes each arm, for every record and every state
of its memory. For a policy that only draws to break ties these are found by asking it; policies
that draw have theirs written out in `drawing_policies.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kcmab_abm.catalogue.registry import POLICIES, unknown
from kcmab_abm.catalogue.roles import ROLES, asked
from kcmab_abm.errors import EngineError, MarketError, ScenarioError
from kcmab_abm.model.book import empty_book, record
from kcmab_abm.model.customer import STRANGER
from kcmab_abm.scenario.scenario import Scenario, make_scenario
from kcmab_abm.scenario.world import Choice
from kcmab_abm.theory.drawing_policies import DRAWING, Chances, by_share
from kcmab_abm.theory.induction import Block, check_setting, expected_play

PLAYS = 16  # on which what a policy promotes is compared with what it is said to promote


class PolicyValue(NamedTuple):
    """What a policy costs on average, where the means of the arms are drawn from a prior.

    Parameters
    ----------
    regret
        The Bayes regret.
    compensation
        The expected compensation.
    """

    regret: float
    compensation: float


def policy_value(
    policy: str, horizon: int, a: float = 1.0, b: float = 1.0, **settings: Any
) -> PolicyValue:
    """The exact Bayes regret and compensation of a policy for two Bernoulli arms.

    Time and memory grow with the horizon as for `optimum`; a policy that remembers more than the
    record takes more of both, and so does one whose choices take long to compute.

    Parameters
    ----------
    policy
        The name of a policy that has an exact value: one whose choice is a function of the record,
        the customer's number and the horizon, with ties broken uniformly at random, or one of
        "ts", "modified-ts", "epsilon-greedy" and "modified-epsilon-greedy".
    horizon
        The number of customers, the first two included.
    a, b
        The parameters of the Beta prior from which both means are drawn. Policies do not know
        it; Thompson sampling starts from Beta(1, 1).
    settings
        The settings of the policy; those left out have their defaults.

    Returns
    -------
    PolicyValue
        Its `regret` and `compensation`.

    Raises
    ------
    ValueError
        If an argument or a setting is outside its range.
    EngineError
        If the policy has no exact value; the message says why.
    MemoryError
        If the tables need more memory than this machine can spare.

    Examples
    --------
    >>> value = policy_value("ts", 100)
    >>> round(value.regret, 2), round(value.compensation, 2)
    (2.77, 1.83)
    """
    check_setting(horizon, a, b)
    if policy not in POLICIES:
        raise ValueError(unknown("policy", policy, list(POLICIES)))
    scenario = _scenario(policy, horizon, settings)
    try:
        return _expected(scenario, float(a), float(b))
    except (MarketError, MemoryError):
        raise
    except Exception as error:
        if policy in POLICIES.own_names():
            raise
        what = f"it fails ({type(error).__name__}: {error})"
        raise _no_value(policy, what) from error


def _expected(scenario: Scenario, a: float, b: float) -> PolicyValue:
    from kcmab_abm.batch.choices import induction

    states, chances = _behaviour(scenario)
    compiled, row = induction(), np.empty(states)

    def promote(block: Block) -> tuple[float, float]:
        reward, paid = compiled.spread_by_chance(*block[2:], chances(block), row)
        return reward, paid

    return PolicyValue(*expected_play(scenario.horizon, states, a, b, promote))


def why_no_exact_value(policy: str) -> str:
    """Return why a policy has no exact value; '' if it has one, as far as its functions show."""
    entry = POLICIES[policy]
    if policy in DRAWING:
        return ""
    asks = {field: asked(each, ROLES["policy"][field]) for field, each in entry.functions.items()}
    for word in ("reward", "rng"):
        if word in asks.get("learn", ()):
            return f"its learn() asks for {word!r}, so it may remember more than the record"
    if "answered" in asks:
        return "its answered() hears which arms customers choose, which the record does not show"
    if "purse" in asks["act"]:
        return "its choose() asks for 'purse', which the record does not show"
    return ""


def _behaviour(scenario: Scenario) -> tuple[int, Chances]:
    """The number of states of the policy's memory, and the chances that it promotes each arm."""
    from kcmab_abm.batch.choices import Choices
    from kcmab_abm.batch.run import why_not

    policy = scenario.policies[0]
    name = policy.entry.name
    if why := why_no_exact_value(name):
        raise _no_value(name, why)
    if name in DRAWING:
        return DRAWING[name](policy.params)
    choices = Choices(scenario)
    try:
        choices.share(1, 0, 1, 0)
    except Exception:
        if why := why_not(scenario, policy):
            raise _no_value(name, why) from None
        raise
    _compare_with_plays(policy, scenario.horizon, choices.share)
    return 1, lambda block: by_share(choices.shares(block.n1, block.n2, block.here[0]))


def _no_value(policy: str, why: str) -> EngineError:
    return EngineError(f"no exact value for policy {policy!r}: {why}; simulate it instead")


def _compare_with_plays(policy: Choice, horizon: int, share: Callable[..., float]) -> None:
    """Refuse a policy that remembers more than the record.

    It plays in the market's way, with a memory that has seen everything from the first customer on.
    So that records come about in many ways, customers take any arm, and rewards change the leader.
    """
    entry = policy.entry
    for seed in range(PLAYS):
        rng = np.random.default_rng(seed)
        means = rng.random(2)
        memory = entry.memory_fields([each.copy() for each in policy.blank_memory(2, horizon)])
        book = empty_book(2)
        given = {"book": book, "view": book, "memory": memory, "params": policy.params}
        given |= {"horizon": horizon, "customer": STRANGER, "rng": rng}
        given["tables"] = policy.tables(2, horizon)
        for t in range(1, horizon + 1):
            arm = t - 1
            if t > 2:
                arm = int(entry.ask("act", t=t, **given))
                (n1, n2), (s1, s2) = book.pulls.tolist(), book.totals.astype(int).tolist()
                if share(n1, s1, n2, s2) == arm:  # the share of arm 1, whose number is 0
                    raise _no_value(
                        entry.name,
                        "it remembers more than the record, because the arm that it promotes after "
                        f"{s1} ones in {n1} reports on arm 1 and {s2} in {n2} on arm 2 depends on "
                        "the order of these reports",
                    )
                arm = int(rng.integers(2)) if seed % 2 else arm
            reward = float(rng.random() < means[arm])
            if seed % 4 > 1 and rng.random() < 0.8:
                reward = float(book.means[arm] <= book.means[1 - arm])
            record(book, arm, reward)
            if entry.learn is not None:
                entry.ask("learn", t=t, arm=arm, reward=reward, **given)


def _scenario(policy: str, horizon: int, settings: dict[str, Any]) -> Scenario:
    """The market of the paper with two arms, and this policy."""
    market = {"arms": {"law": "bernoulli", "means": [0.5, 0.5]}}
    table = {"horizon": horizon, "market": market, "policy": [{"name": policy, **settings}]}
    try:
        return make_scenario(table)
    except ScenarioError as error:
        raise ValueError(str(error).replace("policy[0].", "")) from None
