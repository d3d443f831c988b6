"""A market that stops whenever a customer stands before the board, to be looked at."""

from __future__ import annotations

import math

from kcmab_abm.market.place import MarketPlace
from kcmab_abm.market.run import open_market
from kcmab_abm.market.sight import Sight, last_sight, sight_of
from kcmab_abm.market.visit import Visit
from kcmab_abm.market.wire import Process
from kcmab_abm.scenario import Scenario
from kcmab_abm.world import Choice


class LiveMarket:
    """The market of `play(engine="market")`, one customer at a time.

    `sights[n]` is what customer n + 1 sees; she stands before the board and has not chosen yet.
    After the last customer there is one more sight, of the records that all of them left. `served`
    are the visits that have ended, in the order of their ends.

    >>> from kcmab_abm import make_scenario
    >>> scenario = make_scenario({
    ...     "horizon": 3,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
    ...     "policy": [{"name": "ucb"}],
    ... })
    >>> market = LiveMarket(scenario, scenario.policies[0])
    >>> market.sights[-1].target, market.ledger.arms.tolist()
    (0, [-1, -1, -1])
    >>> market.step()
    >>> market.sights[-1].target, market.ledger.arms.tolist()
    (1, [0, -1, -1])
    """

    def __init__(self, scenario: Scenario, policy: Choice, replication: int = 0) -> None:
        self.sights: list[Sight] = []
        self.served: list[Visit] = []
        self.is_over = False
        self._place, accountant = open_market(scenario, policy, replication, self._watch)
        self.ledger = accountant.ledger
        self.step()

    def step(self) -> None:
        """Let the customer before the board go on, until the next one has come to it."""
        before, env = len(self.sights), self._place.env
        while len(self.sights) == before and env.peek() < math.inf:
            env.step()
        if len(self.sights) == before and not self.is_over:
            self.is_over = True
            self.sights.append(last_sight(self._place.book))

    def _watch(self, place: MarketPlace) -> list[Process]:
        return [self._watch_the_board(place), self._watch_the_door(place)]

    def _watch_the_board(self, place: MarketPlace) -> Process:
        """See every customer arrive: after the controller, who has then posted an offer."""
        news = place.arrivals.next
        while True:
            visit, news = yield news
            self.sights.append(sight_of(visit, place.book))

    def _watch_the_door(self, place: MarketPlace) -> Process:
        """See every customer leave: after the accountant, who has then written her line."""
        news = place.receipts.next
        while True:
            visit, news = yield news
            self.served.append(visit)
