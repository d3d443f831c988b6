"""The controller's purse: its offers and its budget."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field

from kcmab_abm.catalogue.entries import LARGEST_MARKET, Settings, integral
from kcmab_abm.catalogue.perception import Sight
from kcmab_abm.errors import ScenarioError
from kcmab_abm.model.budget import Purse, new_purse
from kcmab_abm.scenario.entry_tables import PricingTable
from kcmab_abm.scenario.fields import Amount, Customers, built_once
from kcmab_abm.scenario.world import Choice, Market


@dataclass(frozen=True)
class PurseRules:
    """The rules for the controller's offers and spending.

    `offer` is the pricing rule, `also` the number of arms with an offer besides the target, and
    `misjudgement` the standard deviation of the controller's error about the loss of a customer,
    which it reads from the book or, if it knows her values, from these (`knows`). If it charges
    `fees`, offers may be negative. Without a limit the budget is infinite, and `period` is 0.
    """

    offer: Choice
    cap: float = math.inf
    budget: float = math.inf
    period: int = 0
    period_budget: float = math.inf
    when_short: str = "refuse"
    also: int = 0
    misjudgement: float = 0.0
    knows: str = "book"
    fees: bool = False

    @cached_property
    def is_plain(self) -> bool:
        """True if only the target carries an offer, without error or limit."""
        limits = (self.cap, self.budget, self.period_budget)
        is_sure = self.also == 0 and self.misjudgement == 0.0
        return is_sure and not self.fees and min(limits) == math.inf

    @cached_property
    def is_least(self) -> bool:
        """True if the controller always offers the gap of the book, as in the paper."""
        return self.is_plain and self.knows == "book" and self.offer.entry.name == "least"

    def sight(self, market: Market) -> Sight:
        """Return what the controller knows about a customer before it acts."""
        return Sight(market.kinds, self.knows == "customers")

    def new_purse(self, is_watched: bool) -> Purse:
        """Return a full purse; sums are kept if it has a limit or a function asks for it."""
        limits = (self.cap, self.budget, self.period, self.period_budget)
        return new_purse(*limits, self.when_short == "pay-rest", is_watched)


class PurseTable(Settings):
    """The controller's offers and budget."""

    offer: Any
    cap: Amount | None = Field(None, description="largest offer to a customer")
    budget: Amount | None = Field(None, description="largest sum paid to all customers together")
    period: Customers | None = Field(None, description="customers per budget period")
    period_budget: Amount | None = Field(None, description="largest sum paid in a period")
    when_short: Literal["refuse", "pay-rest"] = Field(
        "refuse", description="what to offer when a budget runs short: nothing, or the rest"
    )
    also: Annotated[int, Field(ge=0, le=LARGEST_MARKET), integral] = Field(
        0, description="number of arms with an offer besides the target"
    )
    misjudgement: Amount = Field(
        0.0, description="standard deviation of the error in the controller's estimates"
    )
    knows: Literal["book", "customers"] = Field(
        "book", description="where the gap comes from: the means, or each customer's own values"
    )
    fees: bool = Field(False, description="true if offers may be negative: fees that customers pay")

    @built_once
    def build(self) -> PurseRules:
        """Return the rules for the engines."""
        words = ("period", "period_budget")
        missing = [word for word in words if getattr(self, word) is None]
        if len(missing) == 1:
            [given] = set(words) - set(missing)
            raise ScenarioError([f"purse.{missing[0]}: required with {given}, but missing"])
        limits = {word: each for word, each in self if word != "offer" and each is not None}
        return PurseRules(PricingTable.build(self.offer), **limits)
