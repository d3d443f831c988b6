"""Every student is the controller: the same market, on the same tapes, with simulated guests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model.classroom.board import Menu
from kcmab_abm.market.event import Event
from kcmab_abm.market.open_market import OpenMarket
from kcmab_abm.model.budget import most_affordable
from kcmab_abm.model.offers import least_offer
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.scenario.scenario import Scenario

REFERENCES = ("ucb", "modified-ts", "greedy")  # that everybody is compared with
OPTIMAL = "optimal"  # where it can be computed


class Cost(NamedTuple):
    """What somebody's market has cost; `who` is -1 for a policy."""

    label: str
    who: int
    served: int
    lost: float
    paid: float

    @property
    def total(self) -> float:
        """What she is ranked by."""
        return self.lost + self.paid


class Desk:
    """The market of one student, who sends every guest to a restaurant for the least offer."""

    def __init__(self, scenario: Scenario) -> None:
        self.market = OpenMarket(scenario, None, 0, ())
        self.prices: list[float] = []
        self.last: Event | None = None
        self.earned = 0.0
        while not self.market.is_over and not self.market.book.pulls.all():
            self.market.step()
        self._reprice()

    @property
    def is_over(self) -> bool:
        """True if all guests have been served."""
        return self.market.is_over

    def send(self, t: int, arm: int) -> Event:
        """Send the next guest to an arm, for the least offer."""
        if t != self.market.t or self.is_over:
            raise MarketError("That guest has left already.")
        if not 0 <= arm < len(self.prices):
            raise MarketError("There is no such restaurant.")
        if self.prices[arm] > self.affordable:
            raise MarketError("Your purse cannot afford that.")
        self.last = self.market.step(target=arm)
        self.earned += self.last.reward or 0.0
        self._reprice()
        return self.last

    @property
    def paid(self) -> float:
        """The payments so far."""
        return float(self.market.purse.spent[0])

    @property
    def affordable(self) -> float:
        """The largest offer that the purse allows."""
        return most_affordable(self.market.purse, self.market.t)

    def run(self) -> Trajectory:
        """The trajectory so far."""
        return self.market.trajectory()

    def _reprice(self) -> None:
        if not self.is_over:
            arms = range(len(self.market.book.means))
            self.prices = [least_offer(self.market.book, arm) for arm in arms]


class ControllerRace:
    """The desks of a class; each is opened when its student first looks at it."""

    def __init__(self, scenario: Scenario) -> None:
        check_for_race(scenario)
        self.scenario = scenario
        self.menu = Menu(scenario)
        self.budget = scenario.purse.budget
        self.desks: dict[int, Desk] = {}

    def desk(self, who: int) -> Desk:
        """The desk of a student."""
        if who not in self.desks:
            self.desks[who] = Desk(self.scenario)
        return self.desks[who]

    def send(self, who: int, t: int, arm: int) -> Event:
        """Let a student send her next guest to an arm."""
        return self.desk(who).send(t, arm)

    def finished(self) -> list[int]:
        """The students whose guests have all been served."""
        return [who for who, desk in sorted(self.desks.items()) if desk.is_over]

    def costs(self, names: list[str]) -> list[Cost]:
        """What every student's market has cost so far."""
        return [cost_of(names[who], who, desk.run()) for who, desk in sorted(self.desks.items())]


def check_for_race(scenario: Scenario) -> None:
    """Refuse a scenario in which the price of a restaurant is not the gap that everybody sees."""
    market, purse = scenario.market, scenario.purse
    if purse.offer.entry.name != "least" or purse.misjudgement > 0.0 or market.is_selective:
        raise MarketError(
            "Students can be the controller only where the offer is the gap in a record that "
            "everybody sees: remove purse.offer, purse.misjudgement and market.disclosure."
        )


def cost_of(label: str, who: int, run: Trajectory) -> Cost:
    """What a market has cost."""
    return Cost(label, who, len(run), float(np.sum(run.regrets)), float(np.sum(run.payments)))


def ranked(costs: list[Cost], horizon: int) -> list[Cost]:
    """Those who have served everybody, the cheapest first."""
    return sorted((each for each in costs if each.served == horizon), key=lambda each: each.total)
