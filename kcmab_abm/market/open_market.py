"""A market that can be stepped customer by customer, with or without a policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields

from simpy.core import EmptySchedule

from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.errors import MarketError, PlayError
from kcmab_abm.market.event import Event
from kcmab_abm.market.offer_check import check_arm, check_offer, check_target
from kcmab_abm.market.run import set_up, strict_arithmetic
from kcmab_abm.market.snapshot import Snapshot, snapshot_for
from kcmab_abm.market.visit import Visit
from kcmab_abm.model.book import Book
from kcmab_abm.model.budget import Purse
from kcmab_abm.model.customer import STRANGER, Customer
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

Given = tuple[int | None, float | None, int | None]  # target, offer, the arm a person takes


class OpenMarket:
    """A market of the market engine that waits for `step` whenever a customer has arrived.

    Made by `open_market`. Reports that arrive later than the next customer, and visits that end
    later, are handled by later steps; the last step runs until everybody has left and reported.
    """

    def __init__(
        self, scenario: Scenario, policy: Choice | None, replication: int, given: Sequence[Given]
    ) -> None:
        self._settings = scenario, policy, replication
        # Without a policy a stand-in is asked, whose choice is always replaced.
        choice = policy or Choice(POLICIES["greedy"], "you")
        self._given = list(given)  # of all customers for whom an offer has been posted
        self._replayed = len(given)
        self._visit: Visit | None = None  # the customer who waits
        self._event: Event | None = None  # her event, once an offer has been posted for her
        self._pending: dict[int, Event] = {}  # events of visits that have not ended
        self._failure: Exception | None = None
        self.served: list[Visit] = []  # the visits that have ended, in order of ending
        self._place, self._controller, accountant = set_up(
            scenario,
            choice,
            replication,
            watcher=lambda place: [place.receipts.listen(self._complete)],
            receive=self._receive,
        )
        self.ledger = accountant.ledger
        with self._guarded():
            self._advance()

    @property
    def book(self) -> Book:
        """The record of all reports, as the next customer finds it; read-only.

        She sees it unless the scenario has another disclosure; `post` returns what she sees.
        """
        return self._place.public

    @property
    def purse(self) -> Purse:
        """The payments so far, `purse.spent[0]`, and the limits on them; read-only."""
        return self._place.public_purse

    @property
    def customer(self) -> Customer:
        """The next customer as the controller sees her before it acts.

        `customer.kind` is the place of her kind in a mixture with `visible = true`. It is 0 for all
        other customers, for those who are seeded, and after the last one.
        """
        if self._visit is None:
            return STRANGER
        with self._guarded():
            self._controller.meet(self._visit)
        return self._visit.known

    @property
    def t(self) -> int:
        """The number of the next customer, from 1; the horizon + 1 after the last one."""
        return len(self._given) + (self._event is None)

    @property
    def is_over(self) -> bool:
        """True if there is no next customer."""
        return self.t > len(self.ledger)

    def post(self, target: int | None = None, offer: float | None = None) -> Snapshot:
        """Post the offer for the next customer, without letting her choose yet.

        Parameters
        ----------
        target, offer
            As for `step`, which takes neither afterwards.

        Returns
        -------
        Snapshot
            What she sees: `pulls`, `means`, `offers`, `target`, and `seeded`.
        """
        with self._guarded():
            visit = self._checked(target, offer)
            self._post(visit, target, offer)
            self._given.append((target, offer, None))
        return snapshot_for(visit, self._place.view)

    def step(
        self, target: int | None = None, offer: float | None = None, arm: int | None = None
    ) -> Event:
        """Let the next customer choose, and run the market until the one after her arrives.

        Policy, pricing rule and behaviour are asked in any case, so that their draws do not depend
        on what you give, which then replaces their answers. The policy and the rule are told what
        was actually posted, as if it had been their own choice. While some arm
        has no report, customers are directed to such an arm, unpaid, whoever the controller is:
        `target` and `offer` are checked but not used, and the event is `seeded`.

        Parameters
        ----------
        target : int, optional
            The arm to promote; by default the policy's choice. Required without a policy, except
            for a customer who is seeded.
        offer : float, optional
            The offer for it; by default what the pricing rule asks for the target, as far as the
            purse can afford it.
        arm : int, optional
            The arm that she takes, -1 to leave; by default what her behaviour chooses. Like a
            target, it is checked but not used if she is seeded.

        Returns
        -------
        Event
            What happened; completed later if she is still in the market.

        Raises
        ------
        MarketError
            If there is no next customer or no such arm, or if the offer cannot be made.
        PlayError
            If a function of the scenario fails or breaks the rules; the market ends there.
        """
        if arm is not None:
            check_arm("arm", self.t, arm, len(self.book.means), lowest=-1)
        if self._event is None or target is not None or offer is not None:
            self.post(target, offer)
        event, visit = self._event, self._visit
        assert event is not None
        assert visit is not None
        self._event = self._visit = None
        visit.person = arm if arm is None else int(arm)
        self._given[-1] = (*self._given[-1][:2], visit.person)
        with self._guarded():
            self._advance()
        return event

    def fork(self) -> OpenMarket:
        """Return an independent copy of the market as it is now, random streams included.

        It is made by replaying all steps, in about the time that `play` takes for them.

        Returns
        -------
        OpenMarket
            The copy. It does not complete the events that this market has returned.

        Raises
        ------
        PlayError
            If the replay differs, because a function keeps state outside its memory.
        """
        before = len(self._given) - (self._event is not None)
        copy = OpenMarket(*self._settings, self._given[:before])
        if self._event is not None:
            copy.post(*self._given[-1][:2])
        if not copy.ledger.frame().equals(self.ledger.frame()) or copy._pending != self._pending:
            raise PlayError(
                f"replaying the first {before:,} customers gave a different market; a function "
                "may draw from rng only, and must keep what changes in memory"
            )
        return copy

    def trajectory(self) -> Trajectory:
        """Return a copy of the trajectory so far.

        Returns
        -------
        Trajectory
            All customers before the first one whose visit has not ended; after the last step, the
            trajectory of `play` if nothing was overridden.
        """
        ended = min(self._pending, default=self.t) - 1
        columns = {each.name: getattr(self.ledger, each.name) for each in fields(Trajectory)}
        return Trajectory(**{name: column[:ended].copy() for name, column in columns.items()})

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Play with strict arithmetic; a market in which a function failed cannot go on."""
        if self._failure:
            raise self._failure
        try:
            with strict_arithmetic():
                yield
        except PlayError as error:
            self._failure = error
            raise

    def _checked(self, target: int | None, offer: float | None) -> Visit:
        """The customer who waits, if these may be given for her."""
        if (visit := self._visit) is None:
            all_came = f"all {len(self.ledger):,} customers have come"
            raise MarketError(f"{all_came}; to go on, open a market with a longer horizon")
        if self._event is not None:
            raise MarketError(
                f"an offer has already been posted for customer {visit.number}; let her choose "
                "with step(), without target and offer"
            )
        is_needed = self._settings[1] is None and not self._controller.unreported
        check_target(target, visit.number, len(self.book.means), is_needed)
        if offer is not None:
            check_offer(self._settings[0].purse, self._place.purse, visit.number, offer)
        return visit

    def _post(self, visit: Visit, target: int | None, offer: float | None) -> None:
        self._controller.post(visit, target, offer)
        self._event = Event(visit.number, visit.target, visit.offer, visit.seeded)
        self._pending[visit.number] = self._event

    def _advance(self) -> None:
        """Process events until a customer waits, or until nothing is left to do."""
        with suppress(EmptySchedule):
            while self._visit is None:
                self._place.env.step()

    def _receive(self, visit: Visit) -> None:
        """Let a customer wait, unless her step is being replayed."""
        if visit.number > self._replayed:
            self._visit = visit
        else:
            target, offer, visit.person = self._given[visit.number - 1]
            self._post(visit, target, offer)
            self._event = None

    def _complete(self, visit: Visit) -> None:
        """Complete the event of a customer who leaves; the accountant has recorded her."""
        event = self._pending.pop(visit.number)
        event.arm, event.reward, event.payment = visit.arm, visit.reward, visit.payment
        event.regret = float(self.ledger.regrets[visit.number - 1])
        self.served.append(visit)


def open_market(scenario: Scenario, policy: str | None = None, replication: int = 0) -> OpenMarket:
    """Open a market that you step through customer by customer.

    Parameters
    ----------
    scenario : Scenario
        The scenario to run.
    policy : str, optional
        The label of the policy that acts unless a step overrides it. By default nobody does: you
        are the controller, and every step needs a target.
    replication : int
        The number of the replication, counted from 0.

    Returns
    -------
    OpenMarket
        The market, in which the first customer has arrived.

    Raises
    ------
    ScenarioError
        If the scenario has no such policy.

    Examples
    --------
    >>> from kcmab_abm import make_scenario, open_market
    >>> arms = {"law": "bernoulli", "means": [0.9, 0.1]}
    >>> settings = {"horizon": 6, "market": {"arms": arms}, "policy": [{"name": "ucb"}]}
    >>> market = open_market(make_scenario(settings), policy="ucb")
    >>> for _ in range(3):
    ...     event = market.step()
    >>> event.target, event.arm, event.reward
    (0, 0, 1.0)
    >>> market.step(target=1, offer=0.25).arm  # the other record is better by 1
    0
    >>> copy = market.fork()
    >>> copy.step() == market.step()
    True
    """
    if replication < 0:
        raise ValueError(f"replication must be >= 0, got {replication}")
    choice = None if policy is None else scenario.policy(policy)
    return OpenMarket(scenario, choice, replication, ())
