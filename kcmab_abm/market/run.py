"""Run one replication in the market."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kcmab_abm.market.accountant import Accountant
from kcmab_abm.market.channel import Process
from kcmab_abm.market.controller import Controller
from kcmab_abm.market.customer import Customers
from kcmab_abm.market.global_randomness import refuse_global_randomness
from kcmab_abm.market.place import MarketPlace
from kcmab_abm.market.visit import Visit
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

Watcher = Callable[[MarketPlace], list[Process]]


def strict_arithmetic() -> np.errstate:
    """Make NumPy's numbers raise as Python's do, instead of becoming infinite or NaN."""
    return np.errstate(divide="raise", over="raise", invalid="raise", under="ignore")


def set_up(
    scenario: Scenario,
    policy: Choice,
    replication: int,
    watcher: Watcher | None = None,
    served: int | None = None,
    receive: Callable[[Visit], None] | None = None,
) -> tuple[MarketPlace, Controller, Accountant]:
    """A market with all its agents, before the first event.

    `watcher` may add processes that listen. Only the first `served` customers arrive, if given.
    `receive` is called with every customer who arrives, in place of the controller's `post`.
    """
    place = MarketPlace(scenario, policy, replication, served, is_watched=receive is not None)
    customers = Customers(place)
    controller = Controller(place, policy, customers)
    accountant = Accountant(place)
    processes = [
        place.arrivals.listen(receive or controller.post),
        place.reports.listen(controller.read_report),
        place.receipts.listen(accountant.write),
        customers.arrive(),
    ]
    if customers.hear is not None:
        processes.append(place.reports.listen(customers.hear_report))
    if place.choices is not None:
        processes.append(place.choices.listen(controller.hear_answer))
    if watcher is not None:
        processes.extend(watcher(place))
    for process in processes:
        place.env.process(process)
    return place, controller, accountant


def run_market(
    scenario: Scenario,
    policy: Choice,
    replication: int,
    watcher: Watcher | None = None,
    served: int | None = None,
) -> Trajectory:
    """One replication under one policy; `watcher` and `served` as for `set_up`."""
    ledgers: list[Trajectory] = []

    def play() -> None:
        listener = None if ledgers else watcher
        place, _, accountant = set_up(scenario, policy, replication, listener, served)
        with strict_arithmetic():
            place.env.run()
        ledgers.append(accountant.ledger)

    refuse_global_randomness(play, scenario, policy, replication)
    return ledgers[0]


class Replay:
    """Replays replications in the market, which raises the errors that compiled code suspects."""

    def __init__(self, scenario: Scenario, policy: Choice) -> None:
        self._scenario = scenario
        self._policy = policy
        self._checked = (-1, 0)  # the last replication, and how many of its customers were fine

    def __call__(self, replication: int, customers: int) -> None:
        """Raise any error that the market raises for the first customers of a replication.

        Plays twice as many customers as asked, so that repeated calls stay cheap.
        """
        if self._checked[0] == replication and customers <= self._checked[1]:
            return
        served = min(2 * customers, self._scenario.horizon)
        run_market(self._scenario, self._policy, replication, served=served)
        # What the last of them causes is seen when the next one arrives.
        whole = served == self._scenario.horizon
        self._checked = (replication, served if whole else served - 1)
