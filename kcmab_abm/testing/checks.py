"""The checks: an entry keeps the rules of its kind, and is the same in both engines.

Rules are checked on random input, on arrays that notice an index out of range (compiled code does
not); the engines are compared on small random markets, which takes some seconds to compile.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from kcmab_abm.catalogue.entries import Entry, Number
from kcmab_abm.catalogue.registry import BEHAVIOURS, DECISIONS, DISCLOSURES, LAWS, POLICIES, PRICING
from kcmab_abm.scenario.scenario import make_scenario
from kcmab_abm.testing.engines import MARKETS, check_engines
from kcmab_abm.testing.fences import Crowd
from kcmab_abm.testing.lookup import assert_repeatable, check_description, found
from kcmab_abm.testing.numbers import number, numbers
from kcmab_abm.testing.plays import disclosed, priced, promoted, taken


def check_policy(
    policy: str | Callable[..., int], *, examples: int = 50, seed: int = 0, engines: bool = True
) -> None:
    """Check that a policy keeps the rules.

    It promotes arms that exist, leaves the book alone, stays within its memory, draws from nothing
    but `rng`, promotes the only arm if there is but one, and does the same in both engines. Its
    docstring begins with a sentence, and its parameters have a description and a default within
    their range.

    Parameters
    ----------
    policy : str or callable
        A name, or the function that was decorated with `policy`.
    examples : int
        How many random histories to try.
    seed : int
        The seed of all that is drawn.
    engines : bool
        Compare the two engines; leave this out for a policy that numba cannot compile.

    Raises
    ------
    AssertionError
        If a rule is broken; the message says which one.

    Examples
    --------
    >>> from kcmab_abm.testing import check_policy
    >>> check_policy("greedy", engines=False)
    """
    entry = found(POLICIES, policy)
    check_description(entry)
    for example in range(examples):
        rng = np.random.default_rng([seed, example])
        arms = 1 if example == 0 else int(rng.integers(1, 10))
        if entry.needs:
            arms = entry.needs.arms
        values, rewards = _values(rng, entry), _rewards(rng, arms + int(rng.integers(40)))
        if entry.needs and entry.needs.law == "bernoulli":
            rewards = [float(reward > 0.5) for reward in rewards]
        rest = (rewards, arms, values, example, bool(rng.integers(2)))
        assert_repeatable(entry, [promoted(entry, *rest) for _ in range(2)])
    if engines:
        needed = entry.needs.arms if entry.needs else None
        check_engines(
            seed, lambda rng: {"policy": [{"name": entry.name, **numbers(rng, entry)}]}, needed
        )


def check_behaviour(
    behaviour: str | Callable[..., int],
    *,
    examples: int = 50,
    seed: int = 0,
    engines: bool = True,
    **settings: Any,
) -> None:
    """Check that a behaviour keeps the rules.

    Customers take arms that exist or leave, report finite numbers, leave book and board alone, stay
    within their memory, draw from nothing but `rng`, and do the same in both engines.

    Parameters
    ----------
    behaviour : str or callable
        A name, or the function that was decorated with `behaviour`.
    examples, seed, engines
        As for `check_policy`.
    settings
        Settings that are not to be drawn at random.

    Raises
    ------
    AssertionError
        If a rule is broken; the message says which one.
    """
    entry = found(BEHAVIOURS, behaviour)
    check_description(entry)

    def table(rng: Generator) -> dict[str, Any]:
        return {"behaviour": entry.name, **numbers(rng, entry), **settings}

    for example in range(examples):
        rng = np.random.default_rng([seed, example])
        arms, customers, ties = int(rng.integers(1, 10)), table(rng), bool(rng.integers(2))
        visits = [
            (int(rng.integers(arms)), _offer(rng), _rival(rng, arms), reward)
            for reward in _rewards(rng, int(rng.integers(1, 40)))
        ]
        plays = [taken(Crowd(arms, customers, ties), visits, example) for _ in range(2)]
        assert_repeatable(entry, plays)
    if engines:
        check_engines(seed, lambda rng: {"market": {"customers": table(rng)}})


def check_decision(
    decision: str | Callable[..., int],
    *,
    behaviour: str = "recency",
    examples: int = 50,
    seed: int = 0,
    engines: bool = True,
    **settings: Any,
) -> None:
    """Check that a decision keeps the rules, as `check_behaviour` does for customers who use it.

    Parameters
    ----------
    decision : str or callable
        A name, or the function that was decorated with `decision`.
    behaviour : str
        The behaviour that gives the values.
    examples, seed, engines
        As for `check_policy`.
    settings
        Settings of the decision that are not to be drawn at random.

    Raises
    ------
    AssertionError
        If a rule is broken; the message says which one.
    """
    entry = found(DECISIONS, decision)
    check_description(entry)
    for example in range(examples if settings == {} else 1):
        drawn = numbers(np.random.default_rng([seed, example, 2]), entry)
        check_behaviour(
            behaviour,
            examples=1,
            seed=seed + example,
            engines=engines and example < MARKETS,
            decision={"rule": entry.name, **drawn, **settings},
        )


def check_pricing(
    rule: str | Callable[..., float], *, examples: int = 50, seed: int = 0, engines: bool = True
) -> None:
    """Check that a pricing rule keeps the rules.

    Its offers are finite and not below 0, it stays within its memory, draws from nothing but `rng`,
    and does the same in both engines.

    Parameters
    ----------
    rule : str or callable
        A name, or the function that was decorated with `pricing`.
    examples, seed, engines
        As for `check_policy`.

    Raises
    ------
    AssertionError
        If a rule is broken; the message says which one.
    """
    entry = found(PRICING, rule)
    check_description(entry)
    for example in range(examples):
        rng = np.random.default_rng([seed, example])
        values = _values(rng, entry)
        gaps = [float(rng.choice([0.0, rng.random(), 1e13])) for _ in range(60)]
        visits = [(gap, bool(rng.integers(2))) for gap in gaps]
        assert_repeatable(entry, [priced(entry, visits, values, example) for _ in range(2)])
    if engines:
        market = {"customers": {"behaviour": "logit", "tau": 0.2}}
        check_engines(
            seed,
            lambda rng: {
                "market": market,
                "purse": {"offer": {"rule": entry.name, **numbers(rng, entry)}, "also": 1},
            },
        )


def check_disclosure(
    disclosure: str | Callable[..., None],
    *,
    examples: int = 50,
    seed: int = 0,
    engines: bool = True,
    **settings: Any,
) -> None:
    """Check that a disclosure keeps the rules.

    Customers see counts of at least 0 and finite numbers, the book is left alone, memory is not
    overrun, nothing is drawn but from `rng`, and both engines do the same.

    Parameters
    ----------
    disclosure : str or callable
        A name, or the function that was decorated with `disclosure`.
    examples, seed, engines
        As for `check_policy`.
    settings
        Settings that are not to be drawn at random.

    Raises
    ------
    AssertionError
        If a rule is broken; the message says which one.
    """
    entry = found(DISCLOSURES, disclosure)
    check_description(entry)

    def table(rng: Generator) -> dict[str, Any]:
        return {**numbers(rng, entry), **settings}

    for example in range(examples):
        rng = np.random.default_rng([seed, example])
        given = {**entry.defaults(), **table(rng)}
        values = tuple(given[word] for word in entry.parameters)
        arms, rewards = int(rng.integers(1, 10)), _rewards(rng, int(rng.integers(1, 60)))
        plays = [disclosed(entry, arms, rewards, values, example) for _ in range(2)]
        assert_repeatable(entry, plays)
    if engines:
        check_engines(
            seed, lambda rng: {"market": {"disclosure": {"rule": entry.name, **table(rng)}}}
        )


def check_law(law: str | Callable[..., float], arms: Mapping[str, Any], *, seed: int = 0) -> None:
    """Check that a reward law keeps the rules.

    Its rewards lie in [0, 1] and do not fall as `u` grows, their average and variance are those
    that it states, and it does the same in both engines.

    Parameters
    ----------
    law : str or callable
        A name, or the function that was decorated with `law`.
    arms : mapping
        The settings of some arms of this law, as `market.arms` has them.
    seed : int
        The seed of the markets on which the engines are compared.

    Raises
    ------
    AssertionError
        If a rule is broken; the message says which one.
    """
    entry = found(LAWS, law)
    market = {"arms": {**arms, "law": entry.name}}
    scenario = make_scenario({"horizon": 1, "market": market, "policy": [{"name": "ucb"}]})
    grid = (np.arange(20_000) + 0.5) / 20_000
    for place, arm in enumerate(scenario.market.arms):
        whose = f"law {entry.name!r}, arm {place}"
        rewards = np.array([entry.reward(float(u), np.array(arm.row)) for u in (0.0, *grid)])
        assert np.all((rewards >= 0.0) & (rewards <= 1.0)), f"{whose}: a reward is not in [0, 1]"
        assert np.all(np.diff(rewards) >= 0.0), f"{whose}: reward(u) falls as u grows"
        for word, measured in (("mean", rewards[1:].mean()), ("variance", rewards[1:].var())):
            stated = getattr(arm, word)
            assert math.isclose(measured, stated, abs_tol=1e-3), (
                f"{whose}: the {word} of its rewards is {measured:.4f}, and it states {stated:.4f}"
            )
    check_engines(seed, lambda rng: {"market": market})


def _values(rng: Generator, entry: Entry) -> tuple[Number, ...]:
    return tuple(number(rng, parameter) for parameter in entry.parameters.values())


def _rewards(rng: Generator, count: int) -> list[float]:
    return [float(rng.choice([0.0, 0.5, 1.0, rng.random()])) for _ in range(count)]


def _offer(rng: Generator) -> float | None:
    return None if rng.random() < 0.5 else float(rng.choice([0.0, 2.0 * rng.random()]))


def _rival(rng: Generator, arms: int) -> tuple[int, float] | None:
    return None if rng.random() < 0.5 else (int(rng.integers(arms)), 2.0 * rng.random())
