"""Open a market, let every customer through, close it."""

from __future__ import annotations

from collections.abc import Callable

from kcmab_abm.market.accountant import Accountant
from kcmab_abm.market.controller import Controller
from kcmab_abm.market.customer import Customers
from kcmab_abm.market.place import MarketPlace
from kcmab_abm.market.wire import Process
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Trajectory
from kcmab_abm.world import Choice

Watcher = Callable[[MarketPlace], list[Process]]


def open_market(
    scenario: Scenario, policy: Choice, replication: int, watcher: Watcher | None = None
) -> tuple[MarketPlace, Accountant]:
    """A market with all its agents, before anything has happened; `watcher` may listen in."""
    place = MarketPlace(scenario, replication)
    customers = Customers(place)
    controller = Controller(place, policy)
    accountant = Accountant(place)
    processes = [
        controller.serve(),
        controller.read_reports(),
        customers.hear_reports(),
        accountant.keep(),
        customers.arrive(),
    ]
    if place.choices is not None:
        processes.append(controller.watch_choices(place.choices))
    if watcher is not None:
        processes.extend(watcher(place))
    for process in processes:
        place.env.process(process)
    return place, accountant


def run_market(
    scenario: Scenario, policy: Choice, replication: int, watcher: Watcher | None = None
) -> Trajectory:
    """One replication under one policy, as SimPy processes; `watcher` may listen in."""
    place, accountant = open_market(scenario, policy, replication, watcher)
    place.env.run()
    return accountant.ledger
