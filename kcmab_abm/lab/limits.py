"""What the page takes: small enough to be checked in a moment and played while others play too.

What a stranger sends is looked at from the cheapest side first. A file of a few lines can describe
a network of millions of links, and a single long line can keep a TOML reader busy until memory runs
out; neither is begun.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kcmab_abm.catalogue import BEHAVIOURS
from kcmab_abm.errors import ScenarioError
from kcmab_abm.scenario import Scenario

MOST_ARMS = 20
MOST_CUSTOMERS = 100_000
MOST_REPLICATIONS = 10_000
MOST_POLICIES = 20
MOST_REMEMBERED = 1_000_000  # numbers that the agents of a market may keep
MOST_LINKS = 100_000  # of a network of customers: half a second to make
MOST_VALUES = 20_000  # of a scenario: half a second to check
MOST_PARTS = 20  # of a key in a file, as in [market.arms]
LARGEST_FILE = 256 * 1024  # bytes, of a scenario

# The reader of TOML takes memory that grows with the square of a key's parts.
_PART = r"""(?:(?<![A-Za-z0-9_-])[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?:{_PART}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}")


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse settings that the page does not show, or that would take long to check."""
    _refuse([*_too_much(settings), *_unfit(settings)])


def check_scenario(scenario: Scenario) -> None:
    """Refuse a scenario that is too large for the page."""
    _refuse([*_too_many(scenario)])
    _refuse([*_forgetful(scenario)])


def has_long_key(text: str) -> bool:
    """Whether a TOML file has a key of so many parts that it had better not be read."""
    return _LONG_KEY.search(text) is not None


def _refuse(problems: list[str]) -> None:
    if problems:
        raise ScenarioError(problems)


def _too_much(settings: Mapping[str, Any]) -> Iterator[str]:
    """What would take long to check, found without checking it."""
    values = sum(1 for _ in _values(settings))
    if values > MOST_VALUES:
        yield (
            f"the scenario has {values:,} values, and the page reads at most {MOST_VALUES:,}; "
            "use 'kcmab run'"
        )
    policies = settings.get("policy")
    if isinstance(policies, list) and len(policies) > MOST_POLICIES:
        yield _over("policy", "policies", len(policies), MOST_POLICIES)
    links = sum(map(_links, _kinds(settings)))
    if links > MOST_LINKS:
        yield _over("market.customers", "links between people", links, MOST_LINKS)


def _values(value: Any) -> Iterator[Any]:
    """Everything in a nest of tables and lists; no recursion, however deep it is."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        yield here
        if isinstance(here, Mapping):
            waiting.extend(here.values())
        elif isinstance(here, list):
            waiting.extend(here)


def _kinds(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The tables of all kinds of customers, whatever else is wrong with them."""
    market = settings.get("market")
    customers = market.get("customers") if isinstance(market, Mapping) else None
    if isinstance(customers, Mapping):
        of = customers.get("of")
        for each in [customers, *(of if isinstance(of, list) else [])]:
            if isinstance(each, Mapping) and each.get("behaviour") == "social":
                yield each


def _links(table: Mapping[str, Any]) -> int:
    """How many links the network of some customers would have; 0 if that makes no sense."""
    given = BEHAVIOURS.find("social").defaults() | dict(table)
    people, near = given["people"], given["neighbours"]
    if not (isinstance(people, int) and isinstance(near, int)):
        return 0
    if given["graph"] == "edges":
        return people
    return people * (people if given["graph"] == "complete" else near)


def _unfit(settings: Mapping[str, Any]) -> Iterator[str]:
    """What a scenario file may say and the page does not show."""
    for word in ("sweep", "precision", "sample"):
        if word in settings:
            yield f"{word}: the page shows one market; take it out, or use 'kcmab run'"
    market = settings.get("market")
    arrivals = market.get("arrivals") if isinstance(market, Mapping) else None
    if isinstance(arrivals, Mapping) and arrivals.get("process") == "trace":
        yield (
            "market.arrivals: the page reads no files, and a trace needs one; use 'slots' or "
            "'poisson', or 'kcmab run'"
        )


def _too_many(scenario: Scenario) -> Iterator[str]:
    limits = (
        ("market.arms", "arms", len(scenario.market.arms), MOST_ARMS),
        ("horizon", "customers", scenario.horizon, MOST_CUSTOMERS),
        ("replications", "replications", scenario.replications, MOST_REPLICATIONS),
    )
    for place, what, count, most in limits:
        if count > most:
            yield _over(place, what, count, most)


def _forgetful(scenario: Scenario) -> Iterator[str]:
    """Who would remember too much."""
    market = scenario.market
    for each in (market.customers, market.offers.rule, *scenario.policies):
        size = sum(len(array) for array in each.blank_memory(len(market.arms)))
        if size > MOST_REMEMBERED:
            yield _over(each.label, "numbers that one remembers", size, MOST_REMEMBERED)


def _over(place: str, what: str, count: int, most: int) -> str:
    return f"{place}: the page takes at most {most:,} {what}, got {count:,}; use 'kcmab run'"
