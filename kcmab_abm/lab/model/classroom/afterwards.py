"""What a class did beside simulated customers and other controllers on the same tapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model.classroom.controllers import (
    OPTIMAL,
    REFERENCES,
    ControllerRace,
    Cost,
    cost_of,
    ranked,
)
from kcmab_abm.lab.model.classroom.guests import TEACHER, GuestRoom
from kcmab_abm.market.run import run_market
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.scenario.scenario import Scenario, make_scenario
from kcmab_abm.theory.optimal_control import optimum

BY_HAND = "teacher"
_LEFT_OUT = ("sweep", "precision", "sample")
_MOST = 0.9  # of the guests who come after a class has locked in ...
_SHARE = 1 / 3  # ... and how many of all guests these have to be
_LONGEST_OPTIMUM = 200  # guests; its tables grow with the fourth power


@dataclass(frozen=True)
class Lock:
    """From guest `t` on, nearly everybody took this arm, which is not the best one."""

    t: int
    arm: int


def locked_in(arms: Sequence[int], means: Sequence[float]) -> Lock | None:
    """When a market locked in on a wrong arm.

    It did at guest t if nine in ten of all guests from t on took the same arm, t among them, if
    another one is better, and if these are at least a third of all guests.

    Parameters
    ----------
    arms
        The arm of every guest; -1 if she left.
    means
        The true means.

    Returns
    -------
    Lock or None
        The first such guest; None if there is none.

    Examples
    --------
    >>> locked_in([0, 1, 0, 1, 1, 1, 1, 1, 1, 1], [0.9, 0.5])
    Lock(t=4, arm=1)
    >>> locked_in([0, 1, 1, 0, 0, 0, 0, 0, 0, 0], [0.9, 0.5]) is None
    True
    """
    taken = np.asarray(arms)
    if len(taken) == 0:
        return None
    for t in range(1, int(len(taken) * (1 - _SHARE)) + 2):
        rest, arm = taken[t - 1 :], int(taken[t - 1])
        is_wrong = arm >= 0 and means[arm] < max(means)
        if is_wrong and np.count_nonzero(rest == arm) >= _MOST * len(rest):
            return Lock(t, arm)
    return None


def record_of(room: GuestRoom) -> Scenario:
    """The scenario that repeats what a room did, guest by guest, on the same tapes."""
    run = room.run()
    choices = {"behaviour": "recorded", "choices": run.arms.tolist()}
    label = room.controller or BY_HAND
    if room.controller != TEACHER:
        policy = _table(room.scenario, room.controller)
        record = _single(room.scenario, len(run), [policy], choices)
        if run_market(record, record.policies[0], 0).frame().equals(run.frame()):
            return record
        # The policy asks for the horizon, and the class has stopped before it.
    record = _single(room.scenario, len(run), [by_hand(label, run)], choices, run)
    if not run_market(record, record.policies[0], 0).frame().equals(run.frame()):
        raise MarketError("the record of this market does not repeat it")
    return record


def simulated_for(room: GuestRoom) -> Scenario:
    """The same tapes with greedy customers, under this room's controller and others."""
    run = room.run()
    greedy = {"behaviour": "greedy"}
    own = [_table(room.scenario, room.controller)] if room.controller != TEACHER else []
    tables = [*own, *_references([each["label"] for each in own])]
    return _single(room.scenario, len(run), tables, greedy)


def race_record(race: ControllerRace, names: Sequence[str]) -> Scenario:
    """The scenario that repeats what all students who finished did as controllers, and others."""
    tables = [by_hand(names[who], race.desks[who].run()) for who in race.finished()]
    horizon = race.scenario.horizon
    every = [*tables, *_references(names, is_optimal_known(race.scenario))]
    settings = _settings(race.scenario, horizon, every)
    return make_scenario(settings)


def by_hand(label: str, run: Trajectory) -> dict[str, Any]:
    """A policy that repeats the targets of a run."""
    return {"name": "recorded", "label": label, "targets": run.targets.tolist()}


def is_optimal_known(scenario: Scenario) -> bool:
    """Whether the controller with the least expected costs can be computed."""
    market, purse = scenario.market, scenario.purse
    return (
        len(market.arms) == 2
        and all(arm.law.name == "bernoulli" for arm in market.arms)
        and market.is_steady
        and not market.is_selective
        and market.customers.entry.name == "greedy"
        and purse.is_least
        and scenario.horizon <= _LONGEST_OPTIMUM
    )


def compared(scenario: Scenario) -> list[Cost]:
    """What every policy of a scenario costs on its first tapes."""
    return [
        cost_of(choice.label, -1, run_market(scenario, choice, 0)) for choice in scenario.policies
    ]


def ranking(race: ControllerRace, names: Sequence[str]) -> list[Cost]:
    """Students who have finished and simulated controllers, the cheapest first."""
    horizon = race.scenario.horizon
    references = [*_references(names, is_optimal_known(race.scenario))]
    simulated = make_scenario(_settings(race.scenario, horizon, references))
    return ranked([*race.costs([*names]), *compared(simulated)], horizon)


def expected_optimum(scenario: Scenario) -> float | None:
    """What the best controller loses and pays on average over all markets; None if unknown."""
    if not is_optimal_known(scenario):
        return None
    return _least_cost(scenario.horizon)


@cache
def _least_cost(horizon: int) -> float:
    best = optimum(horizon)
    return best.regret + best.compensation


def verdict(room: GuestRoom) -> list[str]:
    """What a room did, and what simulated customers and others would have, in sentences."""
    run = room.run()
    if len(run) == 0:
        return []
    means = room.scenario.drawn(0).market.means.tolist()
    best = room.menu.name(int(np.argmax(means)))
    lock = locked_in(run.arms.tolist(), means) if room.scenario.market.is_steady else None
    if lock is None:
        words = [f"You did not lock in. The best was {best}."]
    else:
        wrong = room.menu.name(lock.arm)
        words = [f"You locked in on {wrong} at customer {lock.t}. The best was {best}."]
    own = cost_of("You", -1, run)
    words.append(f"You lost {own.lost:.1f}, and {own.paid:.1f} was paid.")
    words.extend(
        f"With greedy customers, {each.label} would have lost {each.lost:.1f} and paid "
        f"{each.paid:.1f}."
        for each in compared(simulated_for(room))
    )
    return words


def _references(taken: Sequence[str], with_optimal: bool = False) -> Iterator[dict[str, Any]]:
    for name in (*REFERENCES, *((OPTIMAL,) if with_optimal else ())):
        if name not in taken:
            yield {"name": name, "label": name}


def _table(scenario: Scenario, label: str) -> dict[str, Any]:
    """The settings of a policy, with its label."""
    place = [choice.label for choice in scenario.policies].index(scenario.policy(label).label)
    return {**scenario.settings["policy"][place], "label": label}


def _single(
    scenario: Scenario,
    horizon: int,
    policies: Sequence[dict[str, Any]],
    customers: dict[str, Any],
    by_hand: Trajectory | None = None,
) -> Scenario:
    """One replication, with these policies and customers, and the offers that were made by hand."""
    settings = _settings(scenario, horizon, policies)
    settings["market"] = {**settings["market"], "customers": customers}
    if by_hand is not None:
        offer = {"rule": "recorded", "offers": by_hand.offers.tolist()}
        settings["purse"] = {**settings["purse"], "offer": offer}
    return make_scenario(settings)


def _settings(
    scenario: Scenario, horizon: int, policies: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    kept = {word: each for word, each in scenario.settings.items() if word not in _LEFT_OUT}
    changes = {"horizon": horizon, "replications": 1, "record": "paths", "policy": [*policies]}
    return {**kept, **changes}
