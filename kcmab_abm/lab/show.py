"""One market on the page: played as far as anybody has looked, shown at some customer."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

import numpy as np

from kcmab_abm.market.live import LiveMarket
from kcmab_abm.market.sight import Sight
from kcmab_abm.market.story import does, sees
from kcmab_abm.market.visit import Visit
from kcmab_abm.scenario import Scenario
from kcmab_abm.world import Choice


class ArmView(NamedTuple):
    """What there is to see of one arm; `taken` marks the arm of the customer who left last."""

    mean: float
    pulls: int
    offer: float
    is_target: bool
    taken: bool
    tape: list[float]


class Totals(NamedTuple):
    """What the customers who have left cost, and what they did."""

    regret: float
    compensation: float
    seeding: float
    paid: int
    refused: int
    left: int


class Show:
    """A live market with a place in it: `shown` customers have come and gone.

    Going back plays nothing again: the market keeps what every customer saw, and by the seed it
    could be played again to the last bit. Everything here speaks of the customer who stands before
    the board and of those who left before she came.
    """

    def __init__(self, scenario: Scenario, policy: Choice) -> None:
        self.scenario = scenario
        self.policy = policy
        self.market = LiveMarket(scenario, policy)
        self.shown = 0
        self._broken: Exception | None = None
        self._ended = [0]  # how many visits had ended when a customer came
        self._totals = [Totals(0.0, 0.0, 0.0, 0, 0, 0)]
        self._tapes: list[list[float]] = [[] for _ in scenario.market.arms]
        self._taken_as: list[list[int]] = [[] for _ in scenario.market.arms]

    @property
    def is_over(self) -> bool:
        """Whether the last customer has left."""
        return self.shown >= self.scenario.horizon

    @property
    def played(self) -> int:
        """How many customers have come and gone, whether they are shown or not."""
        return len(self._ended) - 1

    @property
    def sight(self) -> Sight:
        """What the customer before the board sees."""
        return self.market.sights[self.shown]

    @property
    def totals(self) -> Totals:
        """What it has cost so far."""
        return self._totals[self.shown]

    @property
    def last(self) -> Visit | None:
        """The visit that ended last."""
        ended = self._ended[self.shown]
        return self.market.served[ended - 1] if ended else None

    def forward(self) -> None:
        """Show one customer more, if there is one; a market that broke stays where it broke."""
        if self.is_over:
            return
        if self.shown == self.played:
            self._play()
        self.shown += 1

    def _play(self) -> None:
        if self._broken:
            raise self._broken
        try:
            self.market.step()
        except Exception as error:
            self._broken = error
            raise
        self._take_down()

    def back(self) -> None:
        """Undo the last step."""
        self.shown = max(0, self.shown - 1)

    def paid_now(self) -> bool:
        """Whether the step just shown brought a payment."""
        return self.shown > 0 and self.totals.paid > self._totals[self.shown - 1].paid

    def arms(self, tape: int = 40) -> list[ArmView]:
        """All arms, each with the last rewards of its tape."""
        sight, last = self.sight, self.last
        return [
            ArmView(
                mean=float(sight.means[arm]),
                pulls=int(sight.pulls[arm]),
                offer=float(sight.offers[arm]),
                is_target=arm == sight.target,
                taken=last is not None and arm == last.arm,
                tape=self.tape(arm)[-tape:],
            )
            for arm in range(len(sight.means))
        ]

    def tape(self, arm: int) -> list[float]:
        """The rewards that an arm has revealed, in order."""
        return self._tapes[arm][: self.taken(arm)]

    def taken(self, arm: int) -> int:
        """How many customers have taken an arm and left."""
        return bisect_left(self._taken_as[arm], self._ended[self.shown])

    def curve(self, most: int = 400) -> list[tuple[int, float, float]]:
        """Customers, regret and compensation at up to `most` places, the last one included."""
        places = np.unique(np.linspace(0, self.shown, min(most, self.shown + 1)).astype(int))
        totals = self._totals
        return [(int(n), totals[n].regret, totals[n].compensation) for n in places]

    @property
    def clock(self) -> float | None:
        """When the customer before the board came; None where that is her number anyway."""
        if self.is_over or self.scenario.market.arrivals.process == "slots":
            return None
        return float(self.market.ledger.clock[self.shown])

    def true_means(self) -> list[float]:
        """The true means, as the last customer found them where they change."""
        last = self.last
        means = self.scenario.market.means if last is None or last.means is None else last.means
        return [float(mean) for mean in means]

    def sees(self) -> str:
        """What the customer before the board sees, in words."""
        if self.is_over:
            return f"All {self.scenario.horizon:,} customers have come and gone."
        return f"Customer {self.shown + 1:,} {sees(self.sight)}."

    def did(self) -> str:
        """What the customer did who left last, in words."""
        last = self.last
        if last is None:
            return "Nobody has come yet."
        cost = self.scenario.market.seeding_cost if last.seeded else last.payment
        return f"Customer {last.number:,} {does(last, cost)}."

    def _take_down(self) -> None:
        """Add up the visits that ended during the last step."""
        served, ledger = self.market.served, self.market.ledger
        now = self._totals[-1]
        for place in range(self._ended[-1], len(served)):
            visit = served[place]
            now = Totals(
                regret=now.regret + float(ledger.regrets[visit.number - 1]),
                compensation=now.compensation + visit.payment,
                seeding=now.seeding + visit.seeded * self.scenario.market.seeding_cost,
                paid=now.paid + (visit.payment > 0.0),
                refused=now.refused + (visit.arm not in (visit.target, -1)),
                left=now.left + (visit.arm < 0),
            )
            if visit.arm >= 0:
                self._tapes[visit.arm].append(visit.reward)
                self._taken_as[visit.arm].append(place)
        self._ended.append(len(served))
        self._totals.append(now)
