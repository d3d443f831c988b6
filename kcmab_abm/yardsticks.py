"""The paper's bounds beside a simulation, each called what it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import pandas as pd

from kcmab_abm.results import Results
from kcmab_abm.scenario import Scenario
from kcmab_abm.theory import bounds
from kcmab_abm.world import Choice

Kind = Literal["upper bound", "asymptotic slope", "leading terms"]


@dataclass(frozen=True)
class Yardstick:
    """A bound on a measure of a policy, as a function of the horizon."""

    policy: str
    measure: Literal["regret", "compensation"]
    name: str
    kind: Kind
    value: Callable[[float], float]


def yardsticks(scenario: Scenario) -> Iterator[Yardstick]:
    """The bounds that speak of the policies of a scenario."""
    market = scenario.market
    arms = market.arms
    as_in_the_paper = market.customers.entry.name == "greedy" and market.offers.is_least
    for choice in scenario.policies:
        label = choice.label
        yield Yardstick(
            label,
            "regret",
            "Lai and Robbins",
            "asymptotic slope",
            lambda horizon: bounds.lai_robbins(arms, horizon),
        )
        if not math.isnan(bounds.compensation_slope(arms, 2)):
            yield Yardstick(
                label,
                "compensation",
                "Theorem 1",
                "asymptotic slope",
                lambda horizon: bounds.compensation_slope(arms, int(horizon)),
            )
        if bounds.gaps(arms) and as_in_the_paper:
            yield from _upper(choice, arms)


def _upper(choice: Choice, arms: bounds.Arms) -> Iterator[Yardstick]:
    label, name = choice.label, choice.entry.name
    if name == "ucb":
        yield Yardstick(
            label,
            "regret",
            "Auer et al.",
            "upper bound",
            lambda horizon: bounds.ucb_regret_bound(arms, horizon),
        )
        yield Yardstick(
            label,
            "compensation",
            "Theorem 2",
            "upper bound",
            lambda horizon: bounds.ucb_compensation_bound(arms, horizon),
        )
    if name == "modified-epsilon-greedy":
        epsilon = float(choice.params.epsilon)
        for repaired, form in ((False, "as printed"), (True, "repaired")):
            yield Yardstick(
                label,
                "compensation",
                f"Theorem 3 {form}",
                "upper bound",
                partial(_theorem_3, arms, epsilon, repaired),
            )
    if name == "modified-ts":
        yield Yardstick(
            label,
            "regret",
            "Theorem 4",
            "leading terms",
            lambda horizon: bounds.modified_ts_regret_leading_terms(arms, horizon),
        )
        yield Yardstick(
            label,
            "compensation",
            "Theorem 4",
            "leading terms",
            lambda horizon: bounds.modified_ts_compensation_leading_terms(arms, horizon),
        )


def _theorem_3(arms: bounds.Arms, epsilon: float, repaired: bool, horizon: float) -> float:
    return bounds.modified_epsilon_greedy_compensation_bound(arms, horizon, epsilon, repaired)


def yardstick_table(results: Results) -> pd.DataFrame:
    """One row a bound: its value at the horizon, what was measured, from which T it says something.

    An upper bound says something once it is below the trivial one: the largest gap, or the best
    mean, for every customer.
    """
    summary = results.summary().set_index("policy")
    scenario = results.scenario
    means = scenario.market.means
    trivial = {"regret": means.max() - means.min(), "compensation": means.max()}
    rows = []
    for each in yardsticks(scenario):
        measured = summary.loc[each.policy]
        value = each.value(scenario.horizon)
        upper = each.kind == "upper bound"
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
                "informative_from": bounds.informative_from(
                    each.value, float(trivial[each.measure])
                )
                if upper
                else math.nan,
            }
        )
    return pd.DataFrame(rows)
