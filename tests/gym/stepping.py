"""Random actions in an environment, and the same market stepped by hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import kcmab_abm as kcmab
from kcmab_abm.model.budget import affordable, most_affordable

ACTIONS = ("target", "target-and-offer")
COLUMNS = ("t", "target", "offer", "seeded", "arm", "reward", "payment", "regret")


class Script(NamedTuple):
    """The actions for one market, customer by customer."""

    targets: np.ndarray
    offers: np.ndarray


def draw_scripts(scenario, count, seed):
    """Random targets, and offers that are often nothing or much; fees where they are allowed."""
    rng = np.random.default_rng(seed)
    size = (count, scenario.horizon)
    targets = rng.integers(len(scenario.market.arms), size=size)
    most = min(1.0, scenario.purse.cap)
    offers = rng.choice([0.0, 1.0, 0.25], size) * most
    offers = np.where(rng.random(size) < 0.5, offers, most * rng.random(size))
    if scenario.purse.fees:
        offers = np.where(rng.random(size) < 0.3, -rng.random(size), offers)
    return [Script(*each) for each in zip(targets, offers, strict=True)]


def actions_at(scripts, line, action):
    """The action of a vector environment for one customer."""
    targets = np.array([script.targets[line] for script in scripts])
    if action == "target":
        return targets
    return {"target": targets, "offer": np.array([[each.offers[line]] for each in scripts])}


def by_hand(scenario, replication, script, action):
    """Observations and events of a market that is stepped by hand with these actions."""
    market = kcmab.open_market(scenario, None, replication)
    observed, events = [], []
    while True:
        observed.append(
            (
                market.book.pulls.copy(),
                market.book.means.copy(),
                market.t,
                float(market.purse.spent[0]),
                most_affordable(market.purse, market.t),
            )
        )
        if market.is_over:
            return observed, events
        line, offer = market.t - 1, None
        if action == "target-and-offer":
            purse = market.purse
            trial = purse._replace(lately=purse.lately.copy(), number=purse.number.copy())
            offer = affordable(trial, market.t, float(script.offers[line]))
        events.append(market.step(int(script.targets[line]), offer))


def assert_alike(scenario, action, count=2, seed=0, first=0):
    """A compiled vector environment does what markets stepped by hand do, bit for bit."""
    envs = kcmab.gym.make_vec(scenario, count, action=action, engine="batch")
    scripts = draw_scripts(scenario, count, seed)
    hands = [
        by_hand(scenario, first + place, script, action) for place, script in enumerate(scripts)
    ]
    found, _ = envs.reset(options={"replication": first})
    for line in range(scenario.horizon):
        _assert_observed(found, [observed[line] for observed, _ in hands])
        found, rewards, terminated, truncated, infos = envs.step(actions_at(scripts, line, action))
        for place, (_, events) in enumerate(hands):
            event = events[line]
            for word in COLUMNS:
                assert infos[word][place].item() == getattr(event, word), word
            assert rewards[place] == event.reward - event.payment
        assert (terminated == (line + 1 == scenario.horizon)).all()
        assert not truncated.any()
    _assert_observed(found, [observed[-1] for observed, _ in hands])
    assert found in envs.observation_space


def _assert_observed(found, wanted):
    pulls, means, t, spent, most = (np.array(column) for column in zip(*wanted, strict=True))
    assert found["pulls"].tobytes() == pulls.tobytes()
    assert found["means"].tobytes() == means.tobytes()
    assert found["t"][:, 0].tolist() == t.tolist()
    assert found["spent"][:, 0].tobytes() == spent.tobytes()
    assert ("affordable" in found) == bool(np.isfinite(most).all())
    if "affordable" in found:
        assert found["affordable"][:, 0].tobytes() == most.tobytes()
