"""The markets of an environment in compiled code, side by side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.side_by_side import SideBySide
from kcmab_abm.batch.state import DONE, SUSPECT
from kcmab_abm.errors import EngineError
from kcmab_abm.gym.controller import CONTROLLER, with_given_offers
from kcmab_abm.gym.interpreted import InterpretedMarkets
from kcmab_abm.gym.markets import Ended, Floats, Ints, Observed
from kcmab_abm.scenario.scenario import Scenario

_NO_OFFERS = np.zeros(0)


class CompiledMarkets:
    """Replications of a scenario that the batch engine can run."""

    def __init__(self, scenario: Scenario, count: int, gives_offers: bool) -> None:
        self._scenario = scenario
        inner = with_given_offers(scenario) if gives_offers else scenario
        self._markets = SideBySide(inner, CONTROLLER, count)
        self._count = count
        self._places = np.arange(count)
        self._no_kinds = np.zeros(count, np.int64)
        self._gaps = scenario.market.gaps
        self._steady = scenario.market.is_steady
        self._opened = (scenario.seed, 0)
        self._served = 0
        # What was given so far, to repeat it in the market engine if something seems to fail.
        self._targets: list[NDArray[np.int16]] = []
        self._offers: list[Floats] = []
        self._replays: dict[int, InterpretedMarkets] = {}  # by the place of the market

    def open(self, seed: int, first: int) -> None:
        """Begin replication `first` of the experiment with this seed, and those after it."""
        self._opened = (seed, first)
        self._served = 0
        for each in (self._targets, self._offers, self._replays):
            each.clear()
        self._markets.open(seed, np.arange(first, first + self._count, dtype=np.uint64))

    def step(self, targets: Ints, offers: Floats | None) -> Ended:
        """Serve one more customer in every market; without offers the pricing rule makes them."""
        self._targets.append(targets.astype(np.int16))
        if offers is not None:
            self._offers.append(offers)
        try:
            self._markets.step(self._served, targets, _NO_OFFERS if offers is None else offers)
        except Exception as error:
            self._check(error)
        if self._markets.markets.status.any():
            self._check()
        self._served += 1
        block = self._markets.block
        arms = block.arms.copy()
        return Ended(
            place=self._places,
            t=np.full(self._count, self._served),
            target=block.targets.copy(),
            offer=block.offers.copy(),
            seeded=block.seeded.copy(),
            arm=arms,
            reward=block.rewards.copy(),
            payment=block.payments.copy(),
            regret=self._gaps[arms] if self._steady else block.regrets.copy(),
        )

    def observed(self) -> Observed:
        """What the next customer's controller finds, in arrays that no step changes."""
        states, affordable = self._markets.markets.states, self._markets.markets.affordable
        return Observed(
            pulls=states.book.pulls.copy(),
            means=states.book.means.copy(),
            spent=states.purse.spent[:, 0].copy(),
            affordable=affordable.copy(),
            kind=self._no_kinds,
        )

    def _check(self, error: Exception | None = None) -> None:
        """Raise the market engine's error for a market in which something seems to be wrong.

        Suspicions that the market engine does not confirm are ignored.
        """
        status = self._markets.markets.status
        for place in np.flatnonzero(status != DONE).tolist():
            self._replay(place)
            if status[place] != SUSPECT:
                raise EngineError(
                    f"compiled code failed at customer {self._served + 1} of replication "
                    f"{self._opened[1] + place}, and Python did not: {error or 'refused'}; this "
                    "should not happen, please report it; engine='market' runs it"
                ) from error

    def _replay(self, place: int) -> None:
        """Repeat all steps of a market in the market engine, or those since the last time."""
        if place not in self._replays:
            seed, first = self._opened
            self._replays[place] = InterpretedMarkets(self._scenario, 1)
            self._replays[place].open(seed, first + place)
        market, here = self._replays[place], slice(place, place + 1)
        for line in range(market.served, len(self._targets)):
            offers = self._offers[line][here] if self._offers else None
            market.step(self._targets[line][here].astype(np.int64), offers)
