"""A market that can be stepped forwards and backwards, customer by customer."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

import numpy as np

from kcmab_abm.market.narrator import describe_action, describe_snapshot
from kcmab_abm.market.open_market import OpenMarket
from kcmab_abm.market.snapshot import Snapshot, final_snapshot
from kcmab_abm.market.visit import Visit
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice


class ArmView(NamedTuple):
    """One arm; `target` marks the promoted arm, `taken` the last customer's."""

    mean: float
    pulls: int
    offer: float
    target: bool
    taken: bool
    tape: list[float]


class Totals(NamedTuple):
    """Costs and decisions of the customers served so far."""

    regret: float
    compensation: float
    seeding: float
    paid: int
    refused: int
    left: int


class RewindableMarket:
    """An open market shown at some customer: `shown` customers have come and gone.

    Going back replays nothing, because the market keeps what every customer saw. All properties
    refer to the customer whose turn it is and to those who left before she came.
    """

    def __init__(self, scenario: Scenario, policy: Choice) -> None:
        self.scenario = scenario.drawn(0)
        self.policy = policy
        self.live = OpenMarket(scenario, policy, 0, ())
        self._snapshots = [self.live.post()]
        self.shown = 0
        self._ended = [0]  # how many visits had ended when a customer came
        self._totals = [Totals(0.0, 0.0, 0.0, 0, 0, 0)]
        self._tapes: list[list[float]] = [[] for _ in scenario.market.arms]
        self._taken_as: list[list[int]] = [[] for _ in scenario.market.arms]

    @property
    def is_over(self) -> bool:
        """True if the last customer has left."""
        return self.shown >= self.scenario.horizon

    @property
    def played(self) -> int:
        """The number of customers served, whether shown or not."""
        return len(self._ended) - 1

    @property
    def snapshot(self) -> Snapshot:
        """The information of the next customer."""
        return self._snapshots[self.shown]

    @property
    def totals(self) -> Totals:
        """The totals so far."""
        return self._totals[self.shown]

    @property
    def last(self) -> Visit | None:
        """The visit that ended last."""
        ended = self._ended[self.shown]
        return self.live.served[ended - 1] if ended else None

    def forward(self) -> None:
        """Show one more customer, if there is one; a market that failed stays where it is."""
        if self.is_over:
            return
        if self.shown == self.played:
            self._play()
        self.shown += 1

    def _play(self) -> None:
        live = self.live
        live.step()
        self._snapshots.append(final_snapshot(live.book) if live.is_over else live.post())
        self._record()

    def back(self) -> None:
        """Undo the last step."""
        self.shown = max(0, self.shown - 1)

    def paid_now(self) -> bool:
        """Return True if the last customer shown was paid."""
        return self.shown > 0 and self.totals.paid > self._totals[self.shown - 1].paid

    def arms(self, tape: int = 40) -> list[ArmView]:
        """All arms, each with the last rewards of its tape."""
        snapshot, last = self.snapshot, self.last
        return [
            ArmView(
                mean=float(snapshot.means[arm]),
                pulls=int(snapshot.pulls[arm]),
                offer=float(snapshot.offers[arm]),
                target=arm == snapshot.target,
                taken=last is not None and arm == last.arm,
                tape=self.tape(arm)[-tape:],
            )
            for arm in range(len(snapshot.means))
        ]

    def tape(self, arm: int) -> list[float]:
        """The rewards that an arm has paid so far, in order."""
        return self._tapes[arm][: self.taken(arm)]

    def taken(self, arm: int) -> int:
        """The number of customers who have taken an arm and left."""
        return bisect_left(self._taken_as[arm], self._ended[self.shown])

    def curve(self, most: int = 400) -> list[tuple[int, float, float]]:
        """Customers, regret and compensation at up to `most` points, including the last one."""
        places = np.unique(np.linspace(0, self.shown, min(most, self.shown + 1)).astype(int))
        totals = self._totals
        return [(int(n), totals[n].regret, totals[n].compensation) for n in places]

    @property
    def clock(self) -> float | None:
        """The next customer's arrival time; None if it is just her number."""
        if self.is_over or self.scenario.market.arrivals.process == "slots":
            return None
        return float(self.live.ledger.clock[self.shown])

    def true_means(self) -> list[float]:
        """The true means; if they change over time, as they were for the last customer."""
        last = self.last
        means = self.scenario.market.means if last is None or last.means is None else last.means
        return [float(mean) for mean in means]

    def sees(self) -> str:
        """A description of the information that the next customer has."""
        if self.is_over:
            return f"All {self.scenario.horizon:,} customers have come and gone."
        return f"Customer {self.shown + 1:,} {describe_snapshot(self.snapshot)}."

    def did(self) -> str:
        """A description of the last customer's decision."""
        last = self.last
        if last is None:
            return "No customer has come yet."
        cost = self.scenario.market.seeding_cost if last.seeded else last.payment
        return f"Customer {last.number:,} {describe_action(last, cost)}."

    def _record(self) -> None:
        """Record the visits that ended during the last step."""
        served, ledger = self.live.served, self.live.ledger
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
