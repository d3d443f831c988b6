"""The first screen's market in plain words: three restaurants, their guests, and a guide who pays.

A guest is a customer, a restaurant an arm, and the guide the controller. A good meal is a reward
of 1 and worth 1 euro to a guest, so that compensation is in euros and regret in good meals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kcmab_abm.lab.model.market_setup import Setup, make_lab_scenario
from kcmab_abm.lab.model.rewindable_market import RewindableMarket
from kcmab_abm.lab.model.session import Session

RESTAURANTS = ("Ada’s Diner", "Bo’s Kitchen", "Chez Cleo")
GUIDES = {"modified-ts": "a thrifty guide", "ucb": "a curious guide", "greedy": "nobody"}
FIRST_TOWN, LAST_TOWN = 48, 9_999
GUESTS = 200
PURSE = 5.0  # euros, of the second goal
LOST = 10.0  # good meals, of the third goal
SOON = 20  # guests before anybody may name the best restaurant
_SHARES = (0.8, 0.55, 0.3)  # of good meals


@dataclass(frozen=True)
class Town:
    """Three restaurants, whose quality depends on the town's number, and the guide's way to pay."""

    number: int = FIRST_TOWN
    guide: str = "modified-ts"

    @cached_property
    def shares(self) -> list[float]:
        """The share of good meals in each restaurant, in no particular order."""
        return [float(share) for share in np.random.default_rng(self.number).permutation(_SHARES)]

    @property
    def best(self) -> int:
        """The restaurant with the largest share of good meals."""
        return int(np.argmax(self.shares))

    def setup(self, guests: int = 0) -> Setup:
        """The market, after so many guests."""
        scenario = make_lab_scenario(
            {
                "title": f"Three restaurants, town {self.number}",
                "horizon": GUESTS,
                "seed": self.number,
                "market": {"arms": {"law": "bernoulli", "means": self.shares}},
                "policy": [{"name": name} for name in GUIDES],
            }
        )
        return Setup(scenario, left=[*GUIDES].index(self.guide), shown=guests)

    def another(self) -> Town:
        """Another town with the same guide."""
        return Town(self.number % LAST_TOWN + 1, self.guide)


class Goal(NamedTuple):
    """Something to reach, and whether it has been."""

    words: str
    technical: str
    reached: bool


class Story:
    """One visitor's town: the market, the restaurant that she named as the best, and her goals."""

    def __init__(self, town: Town | None = None, guests: int = 0, named: int | None = None) -> None:
        self.town = town or Town()
        self.named = named
        self.session = Session(self.town.setup(guests))

    @property
    def market(self) -> RewindableMarket:
        """The market as it stands."""
        return self.session.markets[0]

    @property
    def may_name(self) -> bool:
        """True if the best restaurant can be named now."""
        return self.named is None and self.session.shown >= SOON and not self.session.is_over

    @property
    def is_revealed(self) -> bool:
        """True once the shares of good meals are no secret any more."""
        return self.named is not None or self.session.is_over

    def name_best(self, arm: int) -> None:
        """Name the best restaurant; this reveals the truth and can be done once per town."""
        if self.may_name:
            self.session.pause()
            self.named = arm
            self.session.tell("revealed")

    def state(self) -> Setup:
        """The market for the full view, whose true means stay hidden as long as they are here."""
        return replace(self.session.state(), revealed=self.is_revealed)

    def move(self, town: Town) -> None:
        """Begin anew in a town."""
        self.town, self.named = town, None
        self.session.open(town.setup())

    def goals(self) -> list[Goal]:
        """The goals, in order of difficulty."""
        totals = self.market.totals
        right = self.named == self.town.best
        return [
            Goal("See a guest being paid.", "compensation > 0", totals.paid > 0),
            Goal(
                f"Name the best restaurant before €{PURSE:.0f} have been paid.",
                f"find the best arm with a compensation under {PURSE:.0f}",
                right and totals.compensation < PURSE,
            ),
            Goal(
                f"Serve all {GUESTS} guests and lose fewer than {LOST:.0f} good meals.",
                f"regret under {LOST:.0f} after {GUESTS} customers",
                self.session.is_over and totals.regret < LOST,
            ),
        ]

    def happened(self) -> str:
        """What the last guest did."""
        last = self.market.last
        if last is None:
            return "No guest has come yet."
        place = RESTAURANTS[last.arm]
        meal = "a good meal" if last.reward else "a bad meal"
        if last.seeded:
            return f"Guest {last.number} was the first to try {place} and had {meal}."
        paid = f", was paid {euros(last.payment)} for it" if last.payment > 0 else ""
        return f"Guest {last.number} went to {place}{paid} and had {meal}."

    def reason(self) -> str:
        """What the next guest will do, and why."""
        market = self.market
        if market.is_over:
            return f"All {GUESTS} guests have been served."
        snapshot, number = market.snapshot, market.shown + 1
        target = snapshot.target
        if snapshot.seeded:
            return f"Nobody has tried {RESTAURANTS[target]} yet, so guest {number} is sent there."
        offer = float(snapshot.offers[target])
        if offer <= 0.0:
            return (
                f"Guest {number} chooses for herself: she goes where most guests were happy, and "
                "nobody is paid."
            )
        return (
            f"The guide offers {euros(offer)} for {RESTAURANTS[target]}, which looks worse but has "
            f"had only {_guests(int(snapshot.pulls[target]))}. That makes up for the difference, "
            f"so guest {number} will try it, and everybody learns more about it."
        )

    def verdict(self) -> str:
        """What has come out, once the truth is known; '' before."""
        if not self.is_revealed:
            return ""
        best = RESTAURANTS[self.town.best]
        lost = f"{self.market.totals.regret:.1f} good meals were lost by not going there"
        if self.named is None:
            return f"{best} is the best: {max(_SHARES):.0%} of its meals are good; {lost}."
        if self.named == self.town.best:
            return f"Right, {best} is the best: {max(_SHARES):.0%} of its meals are good; {lost}."
        return f"No, {best} is better: {max(_SHARES):.0%} of its meals are good; {lost}."


def euros(amount: float) -> str:
    """An amount of money.

    >>> euros(0.5)
    '€0.50'
    """
    return f"€{amount:.2f}"


def _guests(number: int) -> str:
    return "one guest" if number == 1 else f"{number} guests"


def story_word(story: Story) -> str:
    """The story in an address, such as '48.ucb.17' or '48.ucb.30.1' once a restaurant is named."""
    parts = [str(story.town.number), story.town.guide, str(story.session.place)]
    return ".".join([*parts, *([] if story.named is None else [str(story.named)])])


def story_from(word: str) -> Story:
    """The story in an address; the first town if there is none, or if it is damaged."""
    number, guide, guests, *named = [*word.split("."), "", "", ""][: max(3, word.count(".") + 1)]
    numbers = [_number(part, most) for part, most in ((number, LAST_TOWN), (guests, GUESTS))]
    if guide not in GUIDES or None in numbers or len(named) > 1:
        return Story()
    best = _number(named[0], len(RESTAURANTS) - 1) if named else None
    return Story(Town(numbers[0] or 0, guide), numbers[1] or 0, best)


def _number(part: str, most: int) -> int | None:
    short = part.isascii() and part.isdigit() and len(part) < 6
    return int(part) if short and int(part) <= most else None
