"""Scenario files: TOML in, checked and frozen objects out."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from kcmab_abm.catalogue import BEHAVIOURS, LAWS, POLICIES, PRICING
from kcmab_abm.changes import PIECEWISE, SEASONAL, STEADY, WALK
from kcmab_abm.entries import Entry, Number
from kcmab_abm.errors import ScenarioError
from kcmab_abm.forms import LARGEST_MARKET, scenario_form
from kcmab_abm.points import Sweep, make_sweep, point_name
from kcmab_abm.problems import explain
from kcmab_abm.world import Arm, Arrivals, Capacity, Change, Choice, Duration, Market, Offers


@dataclass(frozen=True)
class Scenario:
    """An experiment: one market, the policies to compare in it, how long and how often."""

    title: str
    horizon: int
    replications: int
    seed: int
    market: Market
    policies: tuple[Choice, ...]
    settings: Mapping[str, Any] = field(repr=False, compare=False)
    folder: Path = field(repr=False, compare=False)
    sweep: Sweep | None = field(default=None, hash=False)

    def policy(self, label: str) -> Choice:
        """The policy with that label; a policy's name will do if only one has it."""
        labels = [choice.label for choice in self.policies]
        named = [choice for choice in self.policies if choice.entry.name == label]
        if label in labels:
            return self.policies[labels.index(label)]
        if len(named) == 1:
            return named[0]
        raise ScenarioError([f"no policy labelled {label!r}; this scenario has: {labels}"])

    def replace(self, **changes: Any) -> Scenario:
        """The same scenario with some top-level settings changed.

        >>> from kcmab_abm import make_scenario
        >>> scenario = make_scenario({
        ...     "horizon": 100,
        ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.8]}},
        ...     "policy": [{"name": "ucb"}],
        ... })
        >>> scenario.replace(horizon=20).horizon
        20
        """
        return make_scenario({**self.settings, **changes}, folder=self.folder)

    def points(self) -> Iterator[Scenario]:
        """The scenarios of the sweep, one a point; none if there is no sweep."""
        if self.sweep is None:
            return
        model = scenario_form()
        for point in self.sweep.points:
            yield _make(model, self.sweep.settings(point), self.folder)


def load_scenario(path: str | Path) -> Scenario:
    """Read and check a scenario file; a `ScenarioError` lists all that is wrong with it."""
    return make_scenario(read_settings(path), folder=Path(path).parent, source=f"{path}: ")


def read_settings(path: str | Path) -> dict[str, Any]:
    """Read a TOML file as it stands, without checking what it says."""
    path = Path(path)
    try:
        return tomllib.loads(_read_text(path))
    except _Unreadable as error:
        reason = str(error)
    except tomllib.TOMLDecodeError as error:
        reason = f"not TOML: {error}"
    except RecursionError:
        reason = "not a scenario: nested too deeply"
    except ValueError:  # Python converts no more than 4 300 digits
        reason = "not a scenario: a number in it has thousands of digits"
    raise ScenarioError([f"{path}: {reason}"])


class _Unreadable(Exception):
    """A file that cannot be read as text, and why."""


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")  # editors on Windows begin with a mark
    except FileNotFoundError:
        reason = "no such file"
    except IsADirectoryError:
        reason = "is a directory; give a file"
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 text (byte {error.start}); save it as UTF-8"
    except ValueError as error:  # a NUL in the path
        reason = f"cannot be read: {error}"
    raise _Unreadable(reason)


def make_scenario(
    settings: Mapping[str, Any], *, folder: str | Path = ".", source: str = ""
) -> Scenario:
    """Check settings that have the shape of a scenario file and make a scenario of them.

    `folder` is where a trace file is looked for; `source` begins every line of an error.
    """
    model = scenario_form()
    try:
        scenario = _make(model, settings, Path(folder))
        if scenario.sweep is not None:
            _check_points(model, scenario.sweep, scenario.folder)
    except ScenarioError as error:
        raise ScenarioError([source + problem for problem in error.problems]) from None
    return scenario


def _check_points(model: type[BaseModel], sweep: Sweep, folder: Path) -> None:
    """Try every point of the sweep; a fault that several points share is told once."""
    found: dict[str, list[str]] = {}
    for number, point in enumerate(sweep.points, 1):
        try:
            _make(model, sweep.settings(point), folder)
        except ScenarioError as error:
            for problem in error.problems:
                found.setdefault(problem, []).append(point_name(number, point))
    if found:
        raise ScenarioError(
            [
                f"{names[0]}: {problem}" + (f" (and at {len(names) - 1} more)" if names[1:] else "")
                for problem, names in found.items()
            ]
        )


def _make(model: type[BaseModel], settings: Any, folder: Path) -> Scenario:
    given = dict(settings) if isinstance(settings, Mapping) else settings
    try:
        form: Any = model.model_validate(given)
    except ValidationError as error:
        raise ScenarioError(explain(error, settings, model)) from None
    data = form.model_dump(exclude_none=True)
    problems: list[str] = []
    market = _market(form, data, folder, problems)
    policies = _policies(data["policy"], len(market.arms), problems)
    scenario = Scenario(
        title=data["title"],
        horizon=data["horizon"],
        replications=data["replications"],
        seed=data["seed"],
        market=market,
        policies=policies,
        settings=data,
        folder=folder,
        sweep=_sweep(form, policies, problems),
    )
    if problems:
        raise ScenarioError(problems)
    return scenario


def _sweep(form: Any, policies: tuple[Choice, ...], problems: list[str]) -> Sweep | None:
    if form.sweep is None:
        return None
    # Without defaults, so that a point may change a name and inherits no settings from the old one.
    base = form.model_dump(exclude_defaults=True, exclude={"sweep"})
    return make_sweep(form.sweep, base, tuple(choice.label for choice in policies), problems)


def _market(form: Any, data: dict[str, Any], folder: Path, problems: list[str]) -> Market:
    market = data["market"]
    groups = form.market.arms if isinstance(form.market.arms, list) else [form.market.arms]
    arms = tuple(Arm(LAWS.find(group.law), row) for group in groups for row in group.rows())
    if len(arms) > LARGEST_MARKET:
        problems.append(f"market.arms: must be at most {LARGEST_MARKET} arms, got {len(arms)}")
    customers = _customers(market["customers"])
    if not any(each["weight"] for each in market["customers"].get("of", [{"weight": 1.0}])):
        problems.append("market.customers.of: must have a weight > 0, got none but 0")
    _check_memory("market.customers", customers, len(arms), problems)
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


def _customers(table: Mapping[str, Any]) -> Choice:
    entry = BEHAVIOURS.find(table["behaviour"])
    if entry.compose is None:
        return _choice(entry, entry.name, table)
    given = [each for each in table["of"] if each["weight"] > 0.0] or table["of"][:1]
    parts = [_customers(each) for each in given]
    total = math.fsum(each["weight"] for each in given)
    shares = [each["weight"] / total if total else 1.0 for each in given]
    values = (*shares, *(value for part in parts for value in part.values))
    settings = [
        {**dict(zip(part.entry.parameters, part.values, strict=True)), **part.extras}
        for part in parts
    ]
    entry = entry.compose(tuple(part.entry for part in parts))
    return Choice(entry, entry.name, values, {"of": settings})


def _choice(entry: Entry, label: str, table: Mapping[str, Any]) -> Choice:
    extra = entry.settings.model_fields if entry.settings else ()
    return Choice(entry, label, _values(entry, table), {word: table.get(word) for word in extra})


def _check_memory(place: str, choice: Choice, arms: int, problems: list[str]) -> None:
    try:
        choice.blank_memory(min(arms, LARGEST_MARKET))
    except ValueError as error:
        problems.append(f"{place}: {error}")


def _offers(table: Mapping[str, Any], problems: list[str]) -> Offers:
    rule = PRICING.find(table["offer"]["rule"])
    if ("period" in table) != ("period_budget" in table):
        given, missing = sorted(("period", "period_budget"), key=lambda word: word not in table)
        problems.append(f"purse.{missing}: is required with {given}, and missing")
    return Offers(
        rule=_choice(rule, rule.name, table["offer"]),
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


def _values(entry: Entry, table: Mapping[str, Any]) -> tuple[Number, ...]:
    return tuple(type(p.default)(table[word]) for word, p in entry.parameters.items())


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


def _policies(tables: list[dict[str, Any]], arms: int, problems: list[str]) -> tuple[Choice, ...]:
    entries = [POLICIES.find(table["name"]) for table in tables]
    names = Counter(entry.name for entry in entries)
    choices: list[Choice] = []
    for place, (table, entry) in enumerate(zip(tables, entries, strict=True)):
        values = _values(entry, table)
        label = table.get("label") or _label(entry, values, alone=names[entry.name] == 1)
        taken = [choice.label for choice in choices]
        if label in taken:
            problems.append(
                f"policy[{place}].label: {label!r} is already the label of "
                f"policy[{taken.index(label)}]; give each policy a label of its own"
            )
        choices.append(_choice(entry, label, table))
    for place, choice in enumerate(choices):
        _check_memory(f"policy[{place}]", choice, arms, problems)
    return tuple(choices)


def _label(entry: Entry, values: tuple[Number, ...], alone: bool) -> str:
    if alone or not values:
        return entry.name
    settings = (f"{word}={value:g}" for word, value in zip(entry.parameters, values, strict=True))
    return f"{entry.name} ({', '.join(settings)})"


def _arrivals(table: dict[str, Any], folder: Path, horizon: int, problems: list[str]) -> Arrivals:
    if table["process"] != "trace":
        return Arrivals(**table)
    path = folder / table["file"]
    try:
        times = tuple(_read_times(_read_text(path)))
        _check_times(times, horizon)
    except (_Unreadable, ValueError) as error:
        problems.append(f"market.arrivals.file: {str(path)!r}: {error}")
        return Arrivals("trace")
    return Arrivals("trace", times=times)


def _read_times(text: str) -> Iterator[float]:
    before = 0.0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            time = float(line)
        except ValueError:
            raise ValueError(
                f"line {number}: must be one arrival time, a number; got {line.strip()[:60]!r}"
            ) from None
        if not (math.isfinite(time) and time >= before):
            raise ValueError(
                f"line {number}: times must be finite, >= 0 and not decrease, got {time}"
            )
        before = time
        yield time


def _check_times(times: tuple[float, ...], horizon: int) -> None:
    if len(times) < horizon:
        raise ValueError(f"must hold at least {horizon} times (the horizon), got {len(times)}")
