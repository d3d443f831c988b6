"""The class is the market: its next customer is the next phone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model.classroom.board import Menu
from kcmab_abm.lab.model.classroom.turns import Turn, Turns
from kcmab_abm.market.open_market import OpenMarket
from kcmab_abm.market.snapshot import Snapshot
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.scenario.scenario import Scenario

Posted = tuple[int, float]  # a target and the offer for it
TEACHER = ""  # the controller's label if the teacher makes the offers


class Answer(NamedTuple):
    """What a guest did; `automatic` if her time was up and the greedy choice was made for her."""

    t: int
    who: int
    arm: int
    automatic: bool
    seconds: float


@dataclass(frozen=True)
class StandingOffer:
    """What the teacher offers to every guest until she changes it; no target, no offer."""

    target: int | None = None
    amount: float = 0.0


class GuestRoom:
    """One market whose guests are students, after the first ones, who are sent to try each arm.

    The market itself has greedy customers: their choice is made for a guest whose time is up.
    """

    def __init__(self, scenario: Scenario, controller: str, seconds: float) -> None:
        greedy = scenario.at({"market.customers": {"behaviour": "greedy"}})
        policy = None if controller == TEACHER else greedy.policy(controller)
        self.scenario = greedy
        self.controller = controller
        self.seconds = seconds
        self.menu = Menu(scenario)
        self.market = OpenMarket(greedy, policy, 0, ())
        self.answers: list[Answer] = []
        self.turns = Turns()
        self.turn: Turn | None = None
        self.offer = StandingOffer()
        self.is_short = False  # the purse could not afford the standing offer
        self.earned: dict[int, float] = {}
        self.paid: dict[int, float] = {}
        self.board: Snapshot | None = None
        self._go_to_next()

    @property
    def t(self) -> int:
        """The number of the guest whose turn it is."""
        return self.market.t

    @property
    def served(self) -> int:
        """The number of guests who have left."""
        return min(self.market.t, self.scenario.horizon + 1) - 1

    @property
    def is_over(self) -> bool:
        """True if no guest is left."""
        return self.market.is_over

    def stand(self, offer: StandingOffer) -> None:
        """Make another offer, from the next guest on who has not seen the board."""
        if self.controller != TEACHER:
            raise MarketError(f"Offers are made by {self.controller} here, not by hand.")
        if offer.target is not None and not 0 <= offer.target < len(self.menu.order):
            raise MarketError(f"There is no arm {offer.target}.")
        if not 0.0 <= offer.amount <= 1.0:
            raise MarketError(f"An offer is a number from 0 to 1, not {offer.amount:g}.")
        self.offer = offer

    def seat(self, present: Iterable[int], now: float) -> bool:
        """Give the turn to the next phone, if nobody has it; True if that changes anything."""
        if self.turn is not None or self.is_over:
            return False
        waiting = self.turns.queue(present)
        if not waiting:
            return False
        self._post()
        self.turn = Turn(waiting[0], now, now + self.seconds)
        return True

    def freeze(self, now: float) -> None:
        """Stop the clock of the guest whose turn it is."""
        if self.turn is not None and self.turn.left is None:
            self.turn.left = max(0.0, self.turn.deadline - now)

    def thaw(self, now: float) -> None:
        """Let the clock run again."""
        if self.turn is not None and self.turn.left is not None:
            self.turn.begun += now + self.turn.left - self.turn.deadline
            self.turn.deadline, self.turn.left = now + self.turn.left, None

    def is_late(self, now: float) -> bool:
        """Whether the guest's time is up."""
        return self.turn is not None and self.turn.left is None and now >= self.turn.deadline

    def play(
        self, who: int, t: int, arm: int | None, seconds: float, posted: Posted | None = None
    ) -> Answer:
        """Let the guest take an arm, or what a greedy guest would if `arm` is None.

        `posted` is what was on the board, if that is known from a record.
        """
        self.check(t, arm)
        if posted is not None and self.board is None and self.controller == TEACHER:
            self.board = self.market.post(*posted)
        self._post()
        event = self.market.step(arm=arm)
        assert event.arm is not None
        answer = Answer(t, who, event.arm, arm is None, round(seconds, 2))
        self.answers.append(answer)
        self.turns.note(who)
        self.earned[who] = self.earned.get(who, 0.0) + (event.reward or 0.0)
        self.paid[who] = self.paid.get(who, 0.0) + (event.payment or 0.0)
        self.turn, self.board = None, None
        self._go_to_next()
        return answer

    def check(self, t: int, arm: int | None) -> None:
        """Refuse a choice that comes too late or that does not exist."""
        if t != self.t or self.is_over:
            raise MarketError("That guest has left already.")
        if arm is not None and not 0 <= arm < len(self.menu.order):
            raise MarketError("There is no such restaurant.")

    @property
    def posted(self) -> Posted | None:
        """The target and the offer on the board, if a guest is looking at it."""
        if self.board is None:
            return None
        return self.board.target, float(self.board.offers[self.board.target])

    def run(self) -> Trajectory:
        """The trajectory of the guests who have left."""
        return self.market.trajectory()

    def story(self, answer: Answer, name: str) -> dict[str, Any]:
        """What a guest did, for all screens."""
        line = answer.t - 1
        ledger = self.market.ledger
        return {
            "t": answer.t,
            "who": name,
            "place": self.menu.name(answer.arm),
            "letter": self.menu.short(answer.arm),
            "earned": float(ledger.rewards[line]),
            "paid": float(ledger.payments[line]),
            "automatic": answer.automatic,
        }

    def _go_to_next(self) -> None:
        """Let guests who are sent to arms without a report come and go."""
        while not self.is_over and not self.market.book.pulls.all():
            self.market.step()

    def _post(self) -> None:
        """Put the offer on the board, once for every guest."""
        if self.board is not None:
            return
        if self.controller != TEACHER:
            self.board = self.market.post()
            return
        leader = int(self.market.book.means.argmax())
        target = leader if self.offer.target is None else self.offer.target
        amount = 0.0 if self.offer.target is None else self.offer.amount
        try:
            self.board, self.is_short = self.market.post(target, amount), False
        except MarketError:  # more than the purse can afford
            self.board, self.is_short = self.market.post(target, 0.0), True
