"""A ceiling on the memory of all markets together, and of those of one session."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress
from weakref import WeakKeyDictionary

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model.rewindable_market import WINDOW
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

MEGABYTE = 1_000_000
MOST_TOGETHER = 600 * MEGABYTE
MOST_EACH = 120 * MEGABYTE
# Of a market, as measured by its tests: its agents, its ledger, its totals and tapes, and what its
# latest customers saw.
BYTES_PER_MARKET = MEGABYTE // 2
BYTES_OF_HORIZON = 100  # per customer, whether she has come or not
BYTES_PER_CUSTOMER = 300  # who has come
BYTES_PER_VIEW = 2000


class Memory:
    """What each session has reserved; a session that is gone needs nothing."""

    def __init__(self) -> None:
        self._reserved: WeakKeyDictionary[object, int] = WeakKeyDictionary()

    @property
    def reserved(self) -> int:
        """The bytes reserved by all sessions."""
        return sum(self._reserved.values())

    def reserve(self, owner: object, needed: int) -> None:
        """Reserve memory instead of what the owner had; raises a `MarketError` if there is none."""
        others = self.reserved - self._reserved.get(owner, 0)
        left = min(MOST_EACH, MOST_TOGETHER - others)
        if needed > left:
            raise MarketError(
                f"this market needs {_megabytes(needed)} of memory, but the lab has "
                f"{_megabytes(max(0, left))} left for it; choose a shorter horizon, show one "
                "controller only, or come back when others have left"
            )
        self._reserved[owner] = needed

    def release(self, owner: object) -> None:
        """Give back what an owner has reserved."""
        self._reserved.pop(owner, None)


def needed_for(scenario: Scenario, policies: list[Choice], customers: int) -> int:
    """The bytes that the markets of these controllers take once so many customers have come."""
    arms, horizon = len(scenario.market.arms), scenario.horizon
    each = (
        BYTES_PER_MARKET
        + BYTES_OF_HORIZON * horizon
        + BYTES_PER_CUSTOMER * customers
        + BYTES_PER_VIEW * min(customers, WINDOW)
    )
    agents = [
        agent
        for policy in policies
        for agent in (scenario.market.customers, scenario.purse.offer, policy)
    ]
    remembered = sum(len(array) for agent in agents for array in agent.blank_memory(arms, horizon))
    return each * len(policies) + 8 * remembered


def give_back() -> None:
    """Give the memory of visitors who have left back to the machine, where the C library can."""
    gc.collect()
    with suppress(OSError, AttributeError):  # other than glibc
        ctypes.CDLL(None).malloc_trim(0)


def _megabytes(number: int) -> str:
    return f"{number / MEGABYTE:,.0f} MB"
