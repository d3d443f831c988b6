"""What lessons ask a market: who stands before the board, and how the whole run goes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from kcmab_abm.experiment import play
from kcmab_abm.lab.desk import Desk
from kcmab_abm.market.live import LiveMarket
from kcmab_abm.market.sight import Sight
from kcmab_abm.scenario import Scenario, make_scenario
from kcmab_abm.trajectory import Trajectory


def world(
    title: str, means: list[float], policies: list[str], seed: int, horizon: int, **more: Any
) -> Scenario:
    """A market of Bernoulli arms; `more` are further settings of the market, or a purse."""
    purse: Mapping[str, Any] = {"purse": more.pop("purse")} if "purse" in more else {}
    return make_scenario(
        {
            "title": title,
            "horizon": horizon,
            "seed": seed,
            "market": {"arms": {"law": "bernoulli", "means": means}, **more},
            "policy": [{"name": name} for name in policies],
            **purse,
        }
    )


def run_of(desk: Desk, place: int = 0) -> Trajectory:
    """The whole run of one of the controllers that are shown."""
    return play(desk.scenario, desk.policies[place].label, engine="market")


def sight_at(desk: Desk, later: int = 0, place: int = 0) -> Sight:
    """What the customer before the board sees, or one who comes `later`."""
    market = LiveMarket(desk.scenario, desk.policies[place])
    for _ in range(desk.shown + later):
        market.step()
    return market.sights[desk.shown + later]


def true_means(desk: Desk) -> list[float]:
    """The means of all arms at the beginning, which no customer knows."""
    return [float(mean) for mean in desk.scenario.market.means]


def true_gap(desk: Desk) -> float:
    """How much worse the worst arm is than the best."""
    means = true_means(desk)
    return max(means) - min(means)


def bound_of(sight: Sight, arm: int, customer: int) -> float:
    """The upper confidence bound of an arm, m_i + sqrt(2 ln t / N_i)."""
    return float(sight.means[arm]) + math.sqrt(2.0 * math.log(customer) / int(sight.pulls[arm]))
