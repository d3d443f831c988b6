"""What the class sees of a market, in plain words: restaurants, stars, what guests earned.

Restaurants have letters, which are shuffled, so that neither their order nor that of the scenario
file tells which one is best.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.errors import ScenarioError
from kcmab_abm.scenario.reading import files_named
from kcmab_abm.scenario.scenario import Scenario

LETTERS = "ABCDEF"
STARS = 5.0
MOST_GUESTS = 2000  # of a market that people play
_SHUFFLE = 7919  # keeps the order of the letters apart from the seeds of tapes


class Menu:
    """The restaurants of a scenario in the order in which they are shown."""

    def __init__(self, scenario: Scenario) -> None:
        arms = len(scenario.market.arms)
        rng = np.random.default_rng([_SHUFFLE, scenario.seed])
        self.order: list[int] = rng.permutation(arms).tolist()
        self._names = {
            arm: scenario.market.arms[arm].name or f"Restaurant {LETTERS[place]}"
            for place, arm in enumerate(self.order)
        }

    def name(self, arm: int) -> str:
        """The name of an arm; that of none is for guests who leave."""
        return self._names.get(arm, "nowhere")

    def short(self, arm: int) -> str:
        """The letter of an arm."""
        return LETTERS[self.order.index(arm)] if arm >= 0 else "-"

    def lines(
        self, pulls: NDArray[np.int64], means: NDArray[np.float64], offers: Sequence[float] = ()
    ) -> list[dict[str, Any]]:
        """One line for every restaurant: its record and the offer for it."""
        return [
            {
                "arm": arm,
                "letter": self.short(arm),
                "name": self.name(arm),
                "guests": int(pulls[arm]),
                "earned": round(float(means[arm]), 3) if pulls[arm] else None,
                "stars": round(STARS * float(means[arm]), 1) if pulls[arm] else None,
                "offer": float(offers[arm]) if len(offers) else 0.0,
            }
            for arm in self.order
        ]


def check_for_class(scenario: Scenario, source: str = "") -> None:
    """Refuse a scenario that people cannot play guest by guest, or whose record would not repeat.

    Parameters
    ----------
    scenario
        The scenario.
    source
        What problems are prefixed with, such as the name of a file.
    """
    market, purse = scenario.market, scenario.purse
    arms = len(market.arms)
    problems = {
        "sweep: a class plays one market; remove this table": scenario.sweep is not None,
        f"market.arms: phones show 2 to {len(LETTERS)} arms, got {arms}": not 2
        <= arms
        <= len(LETTERS),
        f"horizon: a class plays at most {MOST_GUESTS:,} customers, got {scenario.horizon:,}": (
            scenario.horizon > MOST_GUESTS
        ),
        "market.arms: a class reads no further files; write the rewards into the scenario": (
            any(files_named(scenario.settings["market"]))
        ),
        "market.capacity: people cannot stand in line here; remove it": market.capacity is not None,
        "market.service_time, market.report_delay: guests report at once here; remove them": (
            market.is_timed
        ),
        "market.report_probability: every guest reports here; remove it": (
            market.report_probability < 1.0
        ),
        "purse.knows: nobody knows what arms are worth to people; use 'book'": purse.knows
        != "book",
        "purse.also: phones show a single offer; remove it": purse.also > 0,
        "purse.fees: guests are not charged here; remove it": purse.fees,
        "measures: what arms are worth to people is not known; remove measures that count it": (
            scenario.measures.asks_for("value")
        ),
    }
    found = [f"{source}{problem}" for problem, is_there in problems.items() if is_there]
    if found:
        raise ScenarioError(found)
