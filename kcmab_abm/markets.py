"""From checked tables of a scenario file to the market: arms, purse, frictions, arrivals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from kcmab_abm.agents import check_memory, make_choice, make_customers
from kcmab_abm.catalogue import LAWS, PRICING
from kcmab_abm.changes import PIECEWISE, SEASONAL, STEADY, WALK
from kcmab_abm.reading import Unreadable, check_times, read_text, read_times
from kcmab_abm.shapes import LARGEST_MARKET
from kcmab_abm.world import Arm, Arrivals, Capacity, Change, Duration, Market, Offers


def make_market(form: Any, data: dict[str, Any], folder: Path, problems: list[str]) -> Market:
    """The market that a checked form describes; what does not fit together goes to `problems`."""
    market = data["market"]
    groups = form.market.arms if isinstance(form.market.arms, list) else [form.market.arms]
    arms = tuple(Arm(LAWS.find(group.law), row) for group in groups for row in group.rows())
    if len(arms) > LARGEST_MARKET:
        problems.append(f"market.arms: must be at most {LARGEST_MARKET} arms, got {len(arms)}")
    customers = make_customers(market["customers"])
    if not any(each["weight"] for each in market["customers"].get("of", [{"weight": 1.0}])):
        problems.append("market.customers.of: must have a weight > 0, got none but 0")
    check_memory("market.customers", customers, len(arms), problems)
    return Market(
        arms=arms,
        customers=customers,
        arrivals=_arrivals(market["arrivals"], folder, data["horizon"], problems),
        first_ties=market["ties"] == "first",
        seeding_cost=float(market["seeding_cost"]),
        service_time=_duration(market, "service_time", problems),
        report_delay=_duration(market, "report_delay", problems),
        report_probability=float(market["report_probability"]),
        offers=_offers(data["purse"], problems),
        change=_change(market.get("change"), arms, problems),
        capacity=_capacity(market, len(arms), problems),
    )


def _offers(table: Mapping[str, Any], problems: list[str]) -> Offers:
    rule = PRICING.find(table["offer"]["rule"])
    if ("period" in table) != ("period_budget" in table):
        given, missing = sorted(("period", "period_budget"), key=lambda word: word not in table)
        problems.append(f"purse.{missing}: is required with {given}, and missing")
    return Offers(
        rule=make_choice(rule, rule.name, table["offer"]),
        cap=float(table.get("cap", math.inf)),
        budget=float(table.get("budget", math.inf)),
        period=table.get("period", 0),
        allowance=float(table.get("period_budget", math.inf)),
        pays_rest=table["when_short"] == "pay-rest",
        also=table["also"],
        error=float(table["misjudgement"]),
    )


def _change(table: Mapping[str, Any] | None, arms: tuple[Arm, ...], problems: list[str]) -> Change:
    if table is None:
        return Change(STEADY)
    stiff = sorted({arm.law.name for arm in arms if arm.law.move is None})
    able = [law.name for law in LAWS if law.move is not None]
    if stiff:
        problems.append(
            f"market.change: arms of law {', '.join(stiff)} cannot change; use {', '.join(able)}"
        )
    low = max(arm.law.within[0] for arm in arms)
    high = min(arm.law.within[1] for arm in arms)
    if table["kind"] == "random-walk":
        walls = max(low, float(table["low"])), min(high, float(table["high"]))
        return _random_walk(float(table["step"]), walls, arms, problems)
    if table["kind"] == "seasonal":
        phases = table.get("phases", [place / len(arms) for place in range(len(arms))])
        _check_count("market.change.phases", phases, len(arms), problems)
        return Change(
            SEASONAL,
            low=low,
            high=high,
            amplitude=float(table["amplitude"]),
            period=float(table["period"]),
            phases=tuple(map(float, phases)),
        )
    return _piecewise(table, (low, high), len(arms), problems)


def _random_walk(
    step: float, walls: tuple[float, float], arms: tuple[Arm, ...], problems: list[str]
) -> Change:
    low, high = walls
    if high - low < 2.0 * step:
        problems.append(
            f"market.change: high - low must be at least 2 step = {2 * step:g}, "
            f"got {low:g} and {high:g}"
        )
    for place, arm in enumerate(arms):
        if not low <= arm.mean <= high:
            problems.append(
                f"market.change: arm {place} begins at {arm.mean:g}, outside of the walls "
                f"{low:g} and {high:g}; move the arm or the walls"
            )
    return Change(WALK, step=step, low=low, high=high)


def _piecewise(
    table: Mapping[str, Any], within: tuple[float, float], arms: int, problems: list[str]
) -> Change:
    at, levels = table["at"], table["means"]
    if any(one >= other for one, other in pairwise(at)):
        problems.append(f"market.change.at: must increase, got {at}")
    if len(levels) != len(at):
        problems.append(
            f"market.change.means: must have a list for each of the {len(at)} entries of at, "
            f"got {len(levels)}"
        )
    for place, means in enumerate(levels):
        _check_count(f"market.change.means[{place}]", means, arms, problems)
        for arm, mean in enumerate(means):
            if not within[0] <= mean <= within[1]:
                problems.append(
                    f"market.change.means[{place}][{arm}]: must be from {within[0]:g} to "
                    f"{within[1]:g} for arms of this law, got {mean:g}"
                )
    if problems:
        return Change(STEADY)
    return Change(PIECEWISE, at=tuple(at), levels=tuple(tuple(map(float, row)) for row in levels))


def _check_count(place: str, numbers: list[Any], arms: int, problems: list[str]) -> None:
    if len(numbers) != arms:
        problems.append(
            f"{place}: must have one entry for each of the {arms} arms, got {len(numbers)}"
        )


def _capacity(market: Mapping[str, Any], arms: int, problems: list[str]) -> Capacity | None:
    given = market.get("capacity")
    if given is None:
        idle = [
            word for word in ("patience", "when_full") if market.get(word) not in (None, "wait")
        ]
        problems += [f"market.{word}: needs a capacity, and there is none" for word in idle]
        return None
    places = given if isinstance(given, list) else [given] * arms
    _check_count("market.capacity", places, arms, problems)
    if _duration(market, "service_time", []).is_zero:
        problems.append("market.capacity: needs a service_time > 0, or no arm is ever busy")
    if market["when_full"] != "wait" and "patience" in market:
        problems.append("market.patience: is for customers who wait; when_full must be 'wait'")
    patience = _duration(market, "patience", problems) if "patience" in market else None
    return Capacity(tuple(places), market["when_full"], patience)


def _duration(market: Mapping[str, Any], word: str, problems: list[str]) -> Duration:
    given = market[word]
    if not isinstance(given, dict):
        return Duration("constant", float(given))
    if given["law"] == "uniform" and given["low"] > given["high"]:
        problems.append(
            f"market.{word}: low must be <= high, got {given['low']} and {given['high']}"
        )
    low, *high = (float(number) for key, number in given.items() if key != "law")
    return Duration(given["law"], low, *high)


def _arrivals(table: dict[str, Any], folder: Path, horizon: int, problems: list[str]) -> Arrivals:
    if table["process"] != "trace":
        return Arrivals(**table)
    path = folder / table["file"]
    try:
        times = tuple(read_times(read_text(path)))
        check_times(times, horizon)
    except (Unreadable, ValueError) as error:
        problems.append(f"market.arrivals.file: {str(path)!r}: {error}")
        return Arrivals("trace")
    return Arrivals("trace", times=times)
