"""Let a recorded run pass through the market again, to find out what its customers saw."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kcmab_abm.catalogue.composition import is_mixture
from kcmab_abm.catalogue.entries import Entry
from kcmab_abm.catalogue.registry import POLICIES, PRICING
from kcmab_abm.catalogue.roles import ROLES, asked
from kcmab_abm.errors import MarketError
from kcmab_abm.market.run import set_up, strict_arithmetic
from kcmab_abm.market.visit import Visit
from kcmab_abm.model.book import Book
from kcmab_abm.model.offers import Board
from kcmab_abm.model.seen import Floats, Seen
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.scenario.measures import NO_MEASURES
from kcmab_abm.scenario.purse import PurseRules
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

_COMPARED = ("clock", "arms", "rewards", "seeded", "waits")


def retrace(scenario: Scenario, replication: int, run: Trajectory, offers: Floats) -> Seen:
    """Return what the customers of a recorded run saw, exactly.

    Their choices and the offers are those of the record; delays, lost reports, the disclosure and
    the queues are the market's.

    Parameters
    ----------
    scenario
        The scenario that was run.
    replication
        The number of the replication.
    run
        The record.
    offers
        The offers on all arms, one row per customer.

    Returns
    -------
    Seen
        What the customers saw and took.

    Raises
    ------
    MarketError
        If the record does not tell what the customers chose or reported, or is of another run.
    """
    _check(scenario)
    notes = _Notes(run, offers)
    place, controller, accountant = set_up(
        _scripted(scenario, notes),
        Choice(POLICIES["greedy"], "recorded"),
        replication,
        served=len(run),
        receive=lambda visit: receive(visit),  # which needs the controller
    )

    def receive(visit: Visit) -> None:
        line = visit.number - 1
        controller.meet(visit)
        if controller.unreported:
            controller.post(visit)
            return
        visit.target, visit.offer = int(run.targets[line]), float(run.offers[line])
        visit.posted.succeed(Board(visit.target, offers[line], notes.rivals))

    with strict_arithmetic():
        place.env.run()
    for word in _COMPARED:
        now, before = getattr(accountant.ledger, word), getattr(run, word)
        if (now != before).any():
            customer = int(np.flatnonzero(now != before)[0])
            raise MarketError(
                f"replication {replication}: not a run of this scenario: customer {customer + 1} "
                f"has {word} {before[customer]!s} in the record, and {now[customer]!s} when the "
                "market is run again; give the scenario and the replication that were run"
            )
    return notes.seen(place.book)


def _check(scenario: Scenario) -> None:
    """Refuse scenarios whose record does not tell what customers chose or reported."""
    market = scenario.market
    if market.capacity and (market.when_full != "wait" or market.patience is not None):
        raise MarketError(
            "market.capacity: customers who find an arm busy may switch or leave, and the record "
            "tells only where they were served, not what they chose; a fit needs "
            'when_full = "wait" and no patience'
        )
    entry = market.customers.entry
    parts = entry.parts or (entry,)
    if entry.report and (is_mixture(entry) or any(map(_reports_unforeseeably, parts))):
        raise MarketError(
            f"market.customers: what customers of {entry.name!r} report is not the reward and does "
            "not follow from what is recorded, so nobody knows what the others saw"
        )


def _reports_unforeseeably(part: Entry) -> bool:
    """Whether a report depends on more than reward, payment and parameters."""
    words = asked(part.report, ROLES["behaviour"]["report"]) if part.report else []
    return not {"rng", "memory"}.isdisjoint(words)


class _Notes:
    """What customers saw, noted as the market runs."""

    def __init__(self, run: Trajectory, offers: Floats) -> None:
        self.run = run
        self.offers = offers
        self.rivals = bool(run.beside.shape[1] or (offers < 0.0).any())
        self.reports: list[tuple[int, int, float]] = []
        self.choices: list[tuple[int, int]] = []
        self.views: list[tuple[Any, ...]] = []

    def take(self, t: int, book: Book) -> int:
        """Note what a customer sees; her choice is that of the record."""
        self.choices.append((t, len(self.reports)))
        self.views.append(tuple(each.copy() for each in (book.pulls, book.totals, book.means)))
        return int(self.run.arms[t - 1])

    def hear(self, t: int, arm: int, reward: float) -> None:
        """Note a report."""
        self.reports.append((t, arm, reward))

    def seen(self, book: Book) -> Seen:
        """All that was noted."""
        customers, heard = np.array(self.choices, np.int64).reshape(-1, 2).T.copy()
        reports = self.reports
        views = [np.array(each) for each in zip(*self.views, strict=True)]
        pulls, totals, means = views or [np.zeros((0, len(book.means)))] * 3
        return Seen(
            reporters=np.array([each[0] for each in reports], np.int64),
            reported=np.array([each[1] for each in reports], np.int64),
            told=np.array([each[2] for each in reports], np.float64),
            customers=customers,
            heard=heard,
            targets=self.run.targets[customers - 1],
            taken=self.run.arms[customers - 1],
            offers=self.offers[customers - 1],
            rivals=self.rivals,
            pulls=pulls.astype(np.int64),
            totals=totals,
            means=means,
        )


def _scripted(scenario: Scenario, notes: _Notes) -> Scenario:
    """The same market with customers who do what they did, and a controller without limits."""
    own = scenario.market.customers

    def take(t: int, book: Book) -> int:
        return notes.take(t, book)

    def hear(t: int, arm: int, reward: float) -> None:
        notes.hear(t, arm, reward)

    entry = replace(own.entry, act=take, learn=hear, name="recorded", parts=(), made_by=None)
    scripted = replace(own, entry=entry)
    market = replace(scenario.market, customers=scripted, kinds=())
    purse = PurseRules(Choice(PRICING["least"], "least"))
    return replace(scenario, market=market, purse=purse, measures=NO_MEASURES)
