"""The largest scenarios that the page accepts, so that one visitor never holds up the others.

The cheapest checks come first: a file of a few lines can describe a network of millions of links,
which must be refused before it is built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kcmab_abm.catalogue.registry import BEHAVIOURS
from kcmab_abm.errors import ScenarioError
from kcmab_abm.scenario.reading import files_named
from kcmab_abm.scenario.scenario import Scenario

MOST_ARMS = 20
MOST_CUSTOMERS = 100_000
MOST_REPLICATIONS = 10_000
MOST_POLICIES = 20
MOST_POINTS = 2_000  # of a sweep, on a slider
MOST_REMEMBERED = 1_000_000  # numbers that one policy, behaviour or pricing rule may remember
MOST_LINKS = 100_000  # of a network of customers: half a second to build
MOST_VALUES = 20_000  # of a scenario: half a second to check
LARGEST_FILE = 256 * 1024  # bytes, of a scenario


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse settings that the page cannot show, or that would take long to validate."""
    _refuse([*_too_much(settings), *_unfit(settings)])


def check_scenario(scenario: Scenario) -> None:
    """Refuse a scenario that is too large for the page."""
    _refuse([*_too_many(scenario)])
    _refuse([*_memories(scenario)])


def _refuse(problems: list[str]) -> None:
    if problems:
        raise ScenarioError(problems)


def _too_much(settings: Mapping[str, Any]) -> Iterator[str]:
    """Settings that would take long to validate, found without validating them."""
    values = sum(1 for _ in _values(settings))
    if values > MOST_VALUES:
        yield (
            f"the scenario has {values:,} values, but the lab reads at most {MOST_VALUES:,}; "
            "use 'kcmab run'"
        )
    policies = settings.get("policy")
    if isinstance(policies, list) and len(policies) > MOST_POLICIES:
        yield _over("policy", "policies", len(policies), MOST_POLICIES)
    links = sum(map(_links, _kinds(settings)))
    if links > MOST_LINKS:
        yield _over("market.customers", "links between people", links, MOST_LINKS)


def _values(value: Any) -> Iterator[Any]:
    """Everything in nested tables and lists, without recursion because they may be very deep."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        yield here
        if isinstance(here, Mapping):
            waiting.extend(here.values())
        elif isinstance(here, list):
            waiting.extend(here)


def _kinds(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The tables of all social customers, whatever else may be wrong with them."""
    market = settings.get("market")
    customers = market.get("customers") if isinstance(market, Mapping) else None
    if isinstance(customers, Mapping):
        of = customers.get("of")
        for each in [customers, *(of if isinstance(of, list) else [])]:
            if isinstance(each, Mapping) and each.get("behaviour") == "social":
                yield each


def _links(table: Mapping[str, Any]) -> int:
    """The number of links in a network of customers; 0 if its settings make no sense."""
    given = BEHAVIOURS["social"].defaults() | dict(table)
    people, near = given["people"], given["neighbours"]
    if not all(isinstance(each, int | float) for each in (people, near)):  # 1e4 is a whole number
        return 0
    if given["graph"] == "edges":
        near = 1
    links = people * (people if given["graph"] == "complete" else near)
    return int(min(links, 10**18)) if links > 0 else 0  # it may be infinite, or not a number


def _unfit(settings: Mapping[str, Any]) -> Iterator[str]:
    """Settings that scenario files may contain but the page cannot show."""
    if "sample" in settings:
        yield "sample: the lab writes no ledger; remove this setting, or use 'kcmab run'"
    for name in files_named(settings.get("market")):
        yield f"market: needs {name[:60]!r}, but the lab reads no further files; use 'kcmab run'"


def _too_many(scenario: Scenario) -> Iterator[str]:
    limits = (
        ("market.arms", "arms", len(scenario.market.arms), MOST_ARMS),
        ("horizon", "customers", scenario.horizon, MOST_CUSTOMERS),
        ("replications", "replications", scenario.replications, MOST_REPLICATIONS),
    )
    for place, what, count, most in limits:
        if count > most:
            yield _over(place, what, count, most)


def _memories(scenario: Scenario) -> Iterator[str]:
    """Entries that would remember too much."""
    market = scenario.market
    for each in (market.customers, scenario.purse.offer, *scenario.policies):
        size = sum(len(array) for array in each.blank_memory(len(market.arms), scenario.horizon))
        if size > MOST_REMEMBERED:
            yield _over(each.label, "remembered numbers", size, MOST_REMEMBERED)


def _over(place: str, what: str, count: int, most: int) -> str:
    return f"{place}: the lab allows at most {most:,} {what}, got {count:,}; use 'kcmab run'"
