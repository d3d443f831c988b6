"""What customers with fixed utilities must be paid, and the best arm net of that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.composition import is_mixture
from kcmab_abm.model.offers import personal_gap
from kcmab_abm.results.statistics import half_width, standard_error
from kcmab_abm.scenario.scenario import Scenario


def necessary_incentives(scenario: Scenario) -> NDArray[np.float64] | None:
    """What customers must be paid for each arm, max_j u_j - u_i.

    If fees are allowed, their favourite arm needs less than nothing: the highest fee for which they
    still take it. None unless all customers are `informed` and take the best deal, and arms do not
    change.
    """
    market = scenario.market
    entry = market.customers.entry
    if is_mixture(entry) or not market.is_steady:
        return None
    names, word = [entry.name], "utility"
    if entry.parts:  # a belief and a decision
        names, word = [part.name for part in entry.parts], "of_0_utility"
    if names not in (["informed"], ["informed", "greedy"]):
        return None
    memory = market.customers.blank_memory(len(market.arms), scenario.horizon)
    utilities, fees = memory[list(entry.memory).index(word)], scenario.purse.fees
    return np.array([personal_gap(utilities, 1.0, arm, fees) for arm in range(len(utilities))])


def net_gap(scenario: Scenario) -> float | None:
    """The highest mean less the highest mean net of the necessary incentive; or None.

    It is what even the best controller loses per customer. None as well if means are random, as it
    then differs between replications.
    """
    needs = necessary_incentives(scenario)
    if needs is None or scenario.market.is_random:
        return None
    means = scenario.market.means
    return float(means.max() - (means - needs).max())


def net_columns(final: NDArray[np.float64], confidence: float) -> dict[str, object]:
    """The columns of net regret, from that of every replication."""
    mean, se = float(final.mean()), standard_error(final)
    width = half_width(se, len(final), confidence)
    interval = {"net_regret_low": mean - width, "net_regret_high": mean + width}
    return {"net_regret": mean, "net_regret_se": se, **interval}
