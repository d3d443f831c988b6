"""What the learner of an environment is rewarded for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kcmab_abm.catalogue.registry import unknown
from kcmab_abm.catalogue.roles import Role, asked
from kcmab_abm.catalogue.signatures import check_function
from kcmab_abm.errors import MarketError
from kcmab_abm.gym.markets import Ended, Floats

Reward = Callable[..., Any]

ROLE = Role("reward", ("horizon", *(word for word in Ended._fields if word != "place")))


def profit(price: float) -> Reward:
    """The reward less the payment, which counts `price` times."""
    return lambda reward, payment: reward - price * payment


def regret(price: float) -> Reward:
    """Minus the regret and the payment; knows the true means, so it is for training only."""
    return lambda regret, payment: -(regret + price * payment)


NAMED = {"profit": profit, "regret": regret}


class Rewards:
    """Adds up what a function returns for the customers of a step, market by market."""

    def __init__(self, reward: str | Reward, price: float | None, horizon: int) -> None:
        self._function = _function(reward, price)
        self._is_own = not callable(reward)
        self._words = asked(self._function, ROLE)
        self._horizon = horizon

    def of(self, ended: Ended, count: int) -> Floats:
        """One sum per market, over the customers whose visits ended."""
        columns = {**ended._asdict(), "horizon": self._horizon}
        found = self._function(**{word: columns[word] for word in self._words})
        values = found if self._is_own else _numbers(found, len(ended.place))
        sums: Floats = np.bincount(ended.place, values, count)  # type: ignore[assignment]
        return sums


def _numbers(found: Any, size: int) -> Floats:
    """What a user's function returned, as one finite number per customer."""
    try:
        values = np.broadcast_to(np.asarray(found, np.float64), (size,))
    except (TypeError, ValueError):
        raise MarketError(
            f"reward: must return one number per customer, here {size}, got {found!r}"
        ) from None
    if not np.isfinite(values).all():
        raise MarketError(f"reward: must return finite numbers, got {found!r}")
    return values


def _function(reward: str | Reward, price: float | None) -> Reward:
    """The function of the customers' columns that gives the rewards."""
    if callable(reward):
        check_function("reward", ROLE, reward)
        if price is not None:
            raise MarketError(
                f"price={price!r}: a reward function sets its own price; leave out price, or "
                f"choose one of: {', '.join(map(repr, NAMED))}"
            )
        return reward
    if reward not in NAMED:
        raise MarketError(f"{unknown('reward', reward, list(NAMED))}, or give a function")
    price = 1.0 if price is None else price
    if not 0.0 <= price < math.inf:
        raise MarketError(f"price={price!r}: must be a finite number >= 0")
    return NAMED[reward](price)
