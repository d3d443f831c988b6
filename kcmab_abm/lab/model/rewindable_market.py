"""A market that can be stepped forwards and backwards, customer by customer."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import NamedTuple

import numpy as np

from kcmab_abm.market.narrator import describe_action, describe_snapshot
from kcmab_abm.market.open_market import OpenMarket
from kcmab_abm.market.snapshot import Snapshot, final_snapshot
from kcmab_abm.market.visit import Visit
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

WINDOW = 1000  # customers whose views are kept, so that going back replays nothing


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

    Going back replays nothing as long as `may_go_back`, because the market keeps what the latest
    customers saw. All properties refer to the customer whose turn it is and to those who left
    before she came.
    """

    def __init__(self, scenario: Scenario, policy: Choice) -> None:
        self.scenario = scenario.drawn(0)
        self.policy = policy
        self.live = OpenMarket(scenario, policy, 0, ())
        self._snapshots = {0: self.live.post()}  # what the latest customers saw
        self._visits: dict[int, Visit] = {}  # the latest that have ended, by order of ending
        self._oldest = 0  # the first customer kept
        self.shown = 0
        self._ended = array("q", [0])  # how many visits had ended when a customer came
        self._totals = {word: array("d", [0.0]) for word in Totals._fields}
        self._tapes = [array("d") for _ in scenario.market.arms]
        self._taken_as = [array("q") for _ in scenario.market.arms]

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
        regret, compensation, seeding, *counts = (
            self._totals[word][self.shown] for word in Totals._fields
        )
        return Totals(regret, compensation, seeding, *map(int, counts))

    @property
    def may_go_back(self) -> bool:
        """True if the step before this one is still kept."""
        return self.shown > self._oldest

    @property
    def last(self) -> Visit | None:
        """The visit that ended last."""
        ended = self._ended[self.shown]
        return self._visits[ended - 1] if ended else None

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
        seen = final_snapshot(live.book) if live.is_over else live.post()
        self._record()
        self._snapshots[self.played] = seen
        if self.played - self._oldest > WINDOW:
            self._drop()

    def back(self) -> None:
        """Undo the last step, if it is still kept."""
        self.shown = max(self._oldest, self.shown - 1)

    def paid_now(self) -> bool:
        """Return True if the last customer shown was paid."""
        paid = self._totals["paid"]
        return self.shown > 0 and paid[self.shown] > paid[self.shown - 1]

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
                tape=self.tape(arm, tape),
            )
            for arm in range(len(snapshot.means))
        ]

    def tape(self, arm: int, latest: int | None = None) -> list[float]:
        """The rewards that an arm has paid so far, in order, or the latest of them."""
        taken = self.taken(arm)
        return self._tapes[arm][0 if latest is None else max(0, taken - latest) : taken].tolist()

    def taken(self, arm: int) -> int:
        """The number of customers who have taken an arm and left."""
        return bisect_left(self._taken_as[arm], self._ended[self.shown])

    def curve(self, most: int = 400) -> list[tuple[int, float, float]]:
        """Customers, regret and compensation at up to `most` points, including the last one."""
        places = np.unique(np.linspace(0, self.shown, min(most, self.shown + 1)).astype(int))
        regret, paid = self._totals["regret"], self._totals["compensation"]
        return [(n, regret[n], paid[n]) for n in places.tolist()]

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
        ended, ledger = self._ended[-1], self.live.ledger
        now = {word: column[-1] for word, column in self._totals.items()}
        for place, visit in enumerate(self.live.served, ended):
            now["regret"] += float(ledger.regrets[visit.number - 1])
            now["compensation"] += visit.payment
            now["seeding"] += visit.seeded * self.scenario.market.seeding_cost
            now["paid"] += visit.payment > 0.0
            now["refused"] += visit.arm not in (visit.target, -1)
            now["left"] += visit.arm < 0
            if visit.arm >= 0:
                self._tapes[visit.arm].append(visit.reward)
                self._taken_as[visit.arm].append(place)
            self._visits[place] = visit
        self._ended.append(ended + len(self.live.served))
        self.live.served.clear()  # a market of many customers would keep all of them
        for word, column in self._totals.items():
            column.append(now[word])

    def _drop(self) -> None:
        """Forget what the oldest customer saw, and visits that nobody asks for any more."""
        del self._snapshots[self._oldest]
        first, last = (max(0, self._ended[self._oldest + step] - 1) for step in (0, 1))
        for place in range(first, last):
            del self._visits[place]
        self._oldest += 1
