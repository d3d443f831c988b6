"""Episodes: one replication in each of some markets, one step per customer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.catalogue.registry import unknown
from kcmab_abm.errors import EngineError, MarketError
from kcmab_abm.gym.controller import CONTROLLER, with_given_offers
from kcmab_abm.gym.interpreted import InterpretedMarkets
from kcmab_abm.gym.markets import Ended, Floats, Markets
from kcmab_abm.gym.rewards import Reward, Rewards
from kcmab_abm.gym.spaces import Actions, action_space, observation, observation_space
from kcmab_abm.running.engine_choice import choose_engine
from kcmab_abm.running.options import Engine
from kcmab_abm.scenario.fields import LARGEST_REPLICATIONS, LARGEST_SEED
from kcmab_abm.scenario.scenario import Scenario

Observations = dict[str, NDArray[Any]]


class Episodes:
    """What the environments share: markets, spaces, the replication that comes next."""

    def __init__(
        self,
        scenario: Scenario,
        count: int,
        action: str,
        reward: str | Reward,
        price: float | None,
        largest_offer: float | None,
        engine: Engine,
    ) -> None:
        if scenario.sweep is not None:
            raise MarketError(
                f"the scenario has a sweep of {len(scenario.sweep.points):,} points; choose one, "
                "such as scenario.points()[0], or remove the sweep: scenario.replace(sweep=None)"
            )
        self.scenario, self.count = scenario, count
        self.observation_space = observation_space(scenario)
        self.action_space = action_space(scenario, action, largest_offer)
        self.rewards = Rewards(reward, price, scenario.horizon)
        self._actions = Actions(self.action_space, count)
        gives_offers = action == "target-and-offer"
        inner = with_given_offers(scenario) if gives_offers else scenario
        self.engine = _engine(inner, engine)
        self._markets = self._new_markets(gives_offers)
        self.seed, self.replication = scenario.seed, 0  # of the first market, when next opened
        self.opened = np.arange(count)  # the replications that are played
        self.t = scenario.horizon + 1  # the number of the next customer

    def begin(self, seed: int | None, options: dict[str, Any] | None) -> Observations:
        """Begin the next replications; those from 0 on with a new seed."""
        if seed is not None:
            if not 0 <= seed <= LARGEST_SEED:
                raise MarketError(f"seed={seed!r}: must be between 0 and {LARGEST_SEED}")
            self.seed, self.replication = seed, 0
        for word, value in (options or {}).items():
            if word != "replication":
                raise MarketError(f"options: {unknown('option', word, ['replication'])}")
            if not isinstance(value, int | np.integer) or not 0 <= value < LARGEST_REPLICATIONS:
                raise MarketError(
                    "options: replication must be a whole number >= 0 and < "
                    f"{LARGEST_REPLICATIONS:,}, got {value!r}"
                )
            self.replication = int(value)
        self.t = self.scenario.horizon + 1  # should this fail
        self._markets.open(self.seed, self.replication)
        self.opened = self.replication + np.arange(self.count)
        self.replication += self.count
        self.t = 1
        return self._observation()

    def step(self, action: Any) -> tuple[Observations, Floats, Ended]:
        """Serve the next customer of every market."""
        if self.is_over:
            raise MarketError("no customer is waiting; begin an episode with reset()")
        targets, offers = self._actions.read(action)
        t, self.t = self.t, self.scenario.horizon + 1  # should this fail
        ended = self._markets.step(targets, offers)
        rewards = self.rewards.of(ended, self.count)
        self.t = t + 1
        return self._observation(), rewards, ended

    @property
    def is_over(self) -> bool:
        """True if there is no next customer."""
        return self.t > self.scenario.horizon

    def _observation(self) -> Observations:
        return observation(self._markets.observed(), self.t, self.observation_space)

    def _new_markets(self, gives_offers: bool) -> Markets:
        if self.engine == "market":
            return InterpretedMarkets(self.scenario, self.count)
        from kcmab_abm.gym.compiled import CompiledMarkets  # late: numba takes long to import

        return CompiledMarkets(self.scenario, self.count, gives_offers)


def _engine(scenario: Scenario, wanted: Engine) -> str:
    """The engine that runs the markets: the batch engine wherever it can.

    Compiled markets step by customers, so they have no room for customers who overlap in time; they
    meet a customer only when she chooses, so they cannot tell her kind before; and they share the
    numbers of their arms.
    """
    market, why = scenario.market, ""
    if market.capacity or not (market.service_time.is_zero and market.report_delay.is_zero):
        why = "customers overlap in time (report_delay, service_time, capacity)"
    elif market.kinds:
        why = "the kinds of customers are visible"
    elif market.is_random:
        why = "means are drawn anew in every replication"
    if why and wanted == "batch":
        raise EngineError(
            f"engine='batch': an environment needs the market engine if {why}; use engine 'auto' "
            "or 'market'"
        )
    return choose_engine(
        scenario, CONTROLLER, "market" if why and wanted == "auto" else wanted
    ).engine
