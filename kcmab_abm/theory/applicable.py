"""The bounds that apply to a scenario's policies, compared with a simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from kcmab_abm.results.results import Results
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice
from kcmab_abm.theory import bounds, lower_bounds
from kcmab_abm.theory.arms import Arms
from kcmab_abm.theory.premises import (
    COIN,
    CONSISTENT,
    GAME,
    ONE_FREE,
    RECORD,
    UNIQUE,
    Premise,
    has_low_regret,
    knows_horizon,
)

Measure = Literal["regret", "compensation"]
Kind = Literal["upper bound", "asymptotic slope", "leading terms"]
_Premises = tuple[Premise, ...]
_Bound = tuple[Measure, str, Kind, Callable[[float], float], _Premises]

COLUMNS = [
    *("policy", "measure", "bound", "kind", "value", "measured", "low", "high"),
    *("respected", "informative_from"),
]


@dataclass(frozen=True)
class Yardstick:
    """A bound on a measure of a policy, as a function of the horizon, and what it assumes."""

    policy: str
    measure: Measure
    name: str
    kind: Kind
    value: Callable[[float], float]
    premises: tuple[Premise, ...]

    def failing(self, scenario: Scenario) -> tuple[Premise, ...]:
        """Return the premises that do not hold in a scenario."""
        return tuple(each for each in self.premises if each.found(scenario))


def yardsticks(scenario: Scenario) -> Iterator[Yardstick]:
    """The bounds that apply to the policies of a scenario: those whose premises all hold."""
    return (each for each in _every(scenario) if not each.failing(scenario))


def withheld(
    scenario: Scenario, policies: Collection[str] | None = None
) -> dict[tuple[Premise, ...], list[str]]:
    """The bounds on these policies that do not apply, by the premises that fail.

    Without `policies` all of the scenario count. Bounds on several policies are named once, with
    the policies if the same bound applies to others.
    """
    found: dict[tuple[Premise, ...], dict[str, list[str]]] = {}
    shown = set()
    for each in _every(scenario):
        if policies is None or each.policy in policies:
            if failing := each.failing(scenario):
                found.setdefault(failing, {}).setdefault(each.name, []).append(each.policy)
            else:
                shown.add(each.name)
    return {failing: _named(labels, shown) for failing, labels in found.items()}


def _named(labels: dict[str, list[str]], shown: set[str]) -> list[str]:
    """The names of bounds; those that are `shown` for others come last, with their policies."""
    partly = [name for name in labels if name in shown]
    names = [name for name in labels if name not in shown]
    if not partly:
        return names
    whom = _listed([label for name in partly for label in labels[name]])
    return [*names, f"{_listed(partly)} for {whom}"]


def withheld_in_words(scenario: Scenario, policies: Collection[str] | None = None) -> list[str]:
    """One line for each premise that fails: the bounds that need it, and why it fails."""
    lines: dict[str, list[str]] = {}
    for failing, names in withheld(scenario, policies).items():
        for premise in failing:
            lines.setdefault(premise.fault(scenario), []).extend(names)
    return [f"not shown: {_listed(names)}. {fault}" for fault, names in lines.items()]


def _listed(names: list[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _every(scenario: Scenario) -> Iterator[Yardstick]:
    """All bounds on the policies of a scenario, whether they apply or not."""
    for choice in scenario.policies:
        for bound in [*_slopes(choice, scenario), *_theorems(choice, scenario.market.arms)]:
            yield Yardstick(choice.label, *bound)


def _slopes(choice: Choice, scenario: Scenario) -> list[_Bound]:
    """The lower bounds on a policy; only one that does not know T has to pay the gaps in full."""
    arms = scenario.market.arms
    regret = partial(lower_bounds.lai_robbins, arms)
    low: _Premises = () if has_low_regret(choice) else (CONSISTENT,)
    name, slope, more = "Proposition 2", partial(lower_bounds.anytime_compensation_slope, arms), low
    if knows_horizon(choice):
        name, slope, more = "Theorem 1", partial(_compensation_slope, scenario), (*low, COIN)
    return [
        ("regret", "Lai and Robbins", "asymptotic slope", regret, (*RECORD, *low)),
        ("compensation", name, "asymptotic slope", slope, (*GAME, *more)),
    ]


def _compensation_slope(scenario: Scenario, horizon: float) -> float:
    """The slope at the scenario's own horizon, drawn as a straight line against ln T."""
    slope = lower_bounds.compensation_slope(scenario.market.arms, scenario.horizon)
    return slope / math.log(scenario.horizon) * math.log(horizon)


def _theorems(choice: Choice, arms: Arms) -> list[_Bound]:
    """The theorems about one policy."""
    of_one: _Premises = (*GAME, UNIQUE)
    match choice.entry.name:
        case "ucb":
            regret, compensation = bounds.ucb_regret_bound, bounds.ucb_compensation_bound
            return [
                ("regret", "Auer et al.", "upper bound", partial(regret, arms), GAME),
                ("compensation", "Theorem 2", "upper bound", partial(compensation, arms), of_one),
            ]
        case "modified-epsilon-greedy":
            theorem = bounds.modified_epsilon_greedy_compensation_bound
            printed = partial(theorem, arms, epsilon=float(choice.params.epsilon))
            repaired = partial(printed, repaired=True)
            return [
                ("compensation", "Theorem 3 as printed", "upper bound", printed, GAME),
                ("compensation", "Theorem 3 repaired", "upper bound", repaired, GAME),
            ]
        case "modified-ts":
            if choice.params.free_customers > 1:
                of_one = (*of_one, ONE_FREE)
            regret = bounds.modified_ts_regret_leading_terms
            compensation = bounds.modified_ts_compensation_leading_terms
            return [
                ("regret", "Theorem 4", "leading terms", partial(regret, arms), of_one),
                ("compensation", "Theorem 4", "leading terms", partial(compensation, arms), of_one),
            ]
    return []


def yardstick_table(results: Results) -> pd.DataFrame:
    """One row per bound: its value at the horizon and the measured value with its interval.

    `informative_from` is the horizon at which an upper bound falls below the trivial bound, which
    is the largest gap (or, for compensation, the best mean) for every customer.
    """
    summary = results.summary().set_index("policy")
    scenario = results.scenario
    shown = list(yardsticks(scenario))
    means = scenario.market.means if shown else np.zeros(1)
    trivial = {"regret": means.max() - means.min(), "compensation": means.max()}
    rows = []
    for each in shown:
        measured = summary.loc[each.policy]
        value = each.value(scenario.horizon)
        upper = each.kind == "upper bound"
        most = float(trivial[each.measure])
        start = bounds.informative_from(each.value, most) if upper else math.nan
        rows.append(
            {
                "policy": each.policy,
                "measure": each.measure,
                "bound": each.name,
                "kind": each.kind,
                "value": value,
                "measured": measured[each.measure],
                "low": measured[f"{each.measure}_low"],
                "high": measured[f"{each.measure}_high"],
                "respected": bool(measured[f"{each.measure}_low"] <= value) if upper else None,
                "informative_from": start,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)
