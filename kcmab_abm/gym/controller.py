"""A policy and a pricing rule that do what they are told from outside, through their memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from kcmab_abm.catalogue.composition import call, memory_of, parameters_of, written
from kcmab_abm.catalogue.entries import Entry
from kcmab_abm.model.budget import Purse
from kcmab_abm.model.offers import is_offer
from kcmab_abm.scenario.entry_tables import composed
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice


def choose(purse: Purse, memory: Any) -> int:
    """Promotes the target it is given; asks for the purse so that payments are counted."""
    return int(memory.target[0])


CONTROLLER = Choice(Entry("policy", "controller", choose, memory={"target": 1}), "controller")


@cache
def given_offer(parts: tuple[Entry]) -> Entry:
    """The pricing rule that asks this rule, and replaces its price for the target.

    The rule is asked in any case, so that its draws and its memory do not depend on what is given,
    and so that an invalid price is still found.
    """
    return _given(parts, False, given_offer)


@cache
def given_offer_or_fee(parts: tuple[Entry]) -> Entry:
    """The same where the price may be negative."""
    return _given(parts, True, given_offer_or_fee)


def _given(parts: tuple[Entry], fees: bool, made_by: Callable[..., Entry]) -> Entry:
    price = [
        "def price(t, horizon, arm, gap, book, customer, purse, memory, params, rng):",
        f"    asked = {call('act', 0, parts)}",
        f"    if arm == memory.target[0] and is_offer(asked, {fees}):",
        "        return memory.offer[0]",
        "    return asked",
    ]
    answered = [
        "def answered(t, arm, offer, taken, customer, memory, params, rng):",
        f"    {call('answered', 0, parts)}" if parts[0].answered else "    return",
    ]
    return Entry(
        "pricing rule",
        f"{parts[0].name}, given",  # the market engine does not ask a rule named 'least'
        written(price, parts, __name__, is_offer=is_offer),
        answered=parts[0].answered and written(answered, parts, __name__),
        parameters=parameters_of(parts),
        memory={"target": 1, "offer": 1, **memory_of(parts)},
        parts=parts,
        made_by=made_by,
    )


def with_given_offers(scenario: Scenario) -> Scenario:
    """The scenario with offers on targets from outside instead of the pricing rule's."""
    rule = scenario.purse.offer
    make = given_offer_or_fee if scenario.purse.fees else given_offer
    given = composed(make((rule.entry,)), rule.label, (rule,))
    return replace(scenario, purse=replace(scenario.purse, offer=given))
