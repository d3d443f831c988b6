"""The markets of an environment on the market engine, if compiled code cannot step them."""

from __future__ import annotations

import numpy as np

from kcmab_abm.gym.markets import Ended, Floats, Ints, Observed
from kcmab_abm.market.open_market import OpenMarket, open_market
from kcmab_abm.market.visit import Visit
from kcmab_abm.model.budget import affordable, most_affordable
from kcmab_abm.scenario.scenario import Scenario


class InterpretedMarkets:
    """One `OpenMarket` per replication."""

    def __init__(self, scenario: Scenario, count: int) -> None:
        self._scenario = scenario
        self._count = count
        self._markets: list[OpenMarket] = []
        self._ended: list[int] = []  # the number of visits that have ended, in each market

    def open(self, seed: int, first: int) -> None:
        """Begin replication `first` of the experiment with this seed, and those after it."""
        scenario = self._scenario
        if seed != scenario.seed:
            self._scenario = scenario = scenario.replace(seed=seed)
        replications = range(first, first + self._count)
        self._markets = [open_market(scenario, None, each) for each in replications]
        self._ended = [0] * self._count

    @property
    def served(self) -> int:
        """The number of customers who have come to each market."""
        return self._markets[0].t - 1

    def step(self, targets: Ints, offers: Floats | None) -> Ended:
        """Serve one more customer in every market; without offers the pricing rule makes them."""
        ended: list[tuple[int, Visit]] = []
        for place, market in enumerate(self._markets):
            wanted = None if offers is None else float(offers[place])
            market.step(int(targets[place]), wanted if wanted is None else _posted(market, wanted))
            ended += [(place, visit) for visit in market.served[self._ended[place] :]]
            self._ended[place] = len(market.served)
        visits = [visit for _, visit in ended]
        numbers = np.array([visit.number for visit in visits], np.int64)
        regrets = [self._markets[place].ledger.regrets[visit.number - 1] for place, visit in ended]
        return Ended(
            place=np.array([place for place, _ in ended], np.int64),
            t=numbers,
            target=np.array([visit.target for visit in visits], np.int64),
            offer=np.array([visit.offer for visit in visits], np.float64),
            seeded=np.array([visit.seeded for visit in visits], np.bool_),
            arm=np.array([visit.arm for visit in visits], np.int64),
            reward=np.array([visit.reward for visit in visits], np.float64),
            payment=np.array([visit.payment for visit in visits], np.float64),
            regret=np.array(regrets, np.float64),
        )

    def observed(self) -> Observed:
        """What the next customer's controller finds, in arrays that no step changes."""
        markets = self._markets
        return Observed(
            pulls=np.array([market.book.pulls for market in markets]),
            means=np.array([market.book.means for market in markets]),
            spent=np.array([market.purse.spent[0] for market in markets]),
            affordable=np.array([most_affordable(each.purse, each.t) for each in markets]),
            kind=np.array([market.customer.kind for market in markets]),
        )


def _posted(market: OpenMarket, wanted: float) -> float:
    """The part of an offer that the purse can afford, as for the price of a pricing rule."""
    purse = market.purse
    trial = purse._replace(lately=purse.lately.copy(), number=purse.number.copy())
    return affordable(trial, market.t, wanted)
