"""The spaces of observations and actions, and actions as the markets take them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from kcmab_abm.catalogue.registry import unknown
from kcmab_abm.errors import MarketError
from kcmab_abm.gym.markets import Floats, Ints, Observed
from kcmab_abm.scenario.fields import LARGEST_AMOUNT
from kcmab_abm.scenario.scenario import Scenario

ACTIONS = ("target", "target-and-offer")


def observation_space(scenario: Scenario) -> spaces.Dict:
    """The observations of one market: `pulls`, `means`, `t`, `spent`; `affordable` and `kind`.

    The last two are there if there is a limit on offers, and if the kinds of customers are visible.
    """
    arms, purse = len(scenario.market.arms), scenario.purse
    most = min(purse.cap, purse.budget, purse.period_budget)
    # Customers who report something other than their reward may report any number.
    low, high = (0.0, 1.0) if scenario.market.customers.entry.report is None else (-np.inf, np.inf)
    found: dict[str, spaces.Space[Any]] = {
        "pulls": spaces.Box(0, scenario.horizon, (arms,), np.int64),
        "means": spaces.Box(low, high, (arms,), np.float64),
        "t": spaces.Box(1, scenario.horizon + 1, (1,), np.int64),
        "spent": spaces.Box(-np.inf if purse.fees else 0.0, purse.budget, (1,), np.float64),
    }
    if most < math.inf:
        if purse.fees:  # which add to what a budget allows
            most = purse.cap
        found["affordable"] = spaces.Box(0.0, most, (1,), np.float64)
    if kinds := scenario.market.kinds:
        found["kind"] = spaces.Discrete(max(kinds) + 1)
    return spaces.Dict(found)


def observation(observed: Observed, t: int, space: spaces.Dict) -> dict[str, NDArray[Any]]:
    """What is observed in all markets, one row each."""
    found: dict[str, NDArray[Any]] = {
        "pulls": observed.pulls,
        "means": observed.means,
        "t": np.full((len(observed.pulls), 1), t),
        "spent": observed.spent[:, np.newaxis],
    }
    if "affordable" in space.spaces:
        found["affordable"] = observed.affordable[:, np.newaxis]
    if "kind" in space.spaces:
        found["kind"] = observed.kind
    return found


def action_space(scenario: Scenario, action: str, largest_offer: float | None) -> spaces.Space[Any]:
    """The actions of one controller: a target, or a target and an offer for it."""
    if action not in ACTIONS:
        raise MarketError(unknown("action", action, list(ACTIONS)))
    target = spaces.Discrete(len(scenario.market.arms))
    if action == "target":
        if largest_offer is not None:
            raise MarketError(
                f"largest_offer={largest_offer!r}: the pricing rule makes the offers; leave it "
                "out, or choose action='target-and-offer'"
            )
        return target
    largest_offer = 1.0 if largest_offer is None else largest_offer
    if not 0.0 < largest_offer <= LARGEST_AMOUNT:
        raise MarketError(
            f"largest_offer={largest_offer!r}: must be a number > 0 and <= {LARGEST_AMOUNT:g}"
        )
    most = min(largest_offer, scenario.purse.cap)
    least = -largest_offer if scenario.purse.fees else 0.0
    return spaces.Dict({"target": target, "offer": spaces.Box(least, most, (1,), np.float64)})


class Actions:
    """Reads the actions for all markets and refuses what is not in the space."""

    def __init__(self, space: spaces.Space[Any], count: int) -> None:
        self._count = count
        self._offers: Any = space["offer"] if isinstance(space, spaces.Dict) else None
        target: Any = space["target"] if isinstance(space, spaces.Dict) else space
        self._arms = int(target.n)

    def read(self, action: Any) -> tuple[Ints, Floats | None]:
        """The targets, and the offers if the controller makes them, in new arrays."""
        if self._offers is None:
            return self._targets(action), None
        if not isinstance(action, dict) or set(action) != {"target", "offer"}:
            raise MarketError(f"action {action!r}: must be {{'target': ..., 'offer': ...}}")
        return self._targets(action["target"]), self._read_offers(action["offer"])

    def _targets(self, given: Any) -> Ints:
        found = np.asarray(given)
        if found.size != self._count or found.dtype.kind not in "iu":
            raise MarketError(f"target {given!r}: must be {self._count} whole number(s)")
        targets = found.reshape(self._count).astype(np.int64)
        wrong = targets.view(np.uint64) >= self._arms  # negative numbers are large
        if wrong.any():
            place = int(wrong.argmax())
            raise MarketError(
                f"target {targets[place]}{self._of(place)}: no such arm; arms are "
                f"0..{self._arms - 1}"
            )
        return targets

    def _read_offers(self, given: Any) -> Floats:
        try:
            offers = np.array(given, np.float64).reshape(self._count)
        except (TypeError, ValueError):
            raise MarketError(f"offer {given!r}: must be {self._count} number(s)") from None
        least, most = float(self._offers.low[0]), float(self._offers.high[0])
        wrong = ~((offers >= least) & (offers <= most))
        if wrong.any():
            place = int(wrong.argmax())
            raise MarketError(
                f"offer {float(offers[place])!r}{self._of(place)}: offers are numbers from "
                f"{least:g} to {most:g}"
            )
        return offers

    def _of(self, place: int) -> str:
        return f" for market {place}" if self._count > 1 else ""
