"""Scenario files: TOML in, checked and frozen objects out."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from kcmab_abm.agents import make_policies
from kcmab_abm.errors import ScenarioError
from kcmab_abm.forms import scenario_form
from kcmab_abm.markets import make_market
from kcmab_abm.points import Sweep, make_sweep, point_name
from kcmab_abm.precision import Precision, make_precision
from kcmab_abm.problems import explain
from kcmab_abm.reading import Unreadable, read_text
from kcmab_abm.world import Choice, Market

SAMPLE = 10  # replications that `record = "sample"` keeps unless told which


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
    record: str = "curves"
    sample: tuple[int, ...] = ()
    precision: Precision | None = None

    def policy(self, label: str) -> Choice:
        """The policy with that label; a policy's name will do if only one has it."""
        labels = [choice.label for choice in self.policies]
        named = [choice for choice in self.policies if choice.entry.name == label]
        if label in labels:
            return self.policies[labels.index(label)]
        if len(named) == 1:
            return named[0]
        raise ScenarioError([f"no policy labelled {label!r}; this scenario has: {labels}"])

    def records(self, replication: int) -> bool:
        """Whether the ledger holds every customer of this replication."""
        return self.record == "paths" or (self.record == "sample" and replication in self.sample)

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
    try:
        return parse_settings(read_text(Path(path)))
    except (Unreadable, ScenarioError) as error:
        raise ScenarioError([f"{path}: {error}"]) from None


def parse_settings(text: str) -> dict[str, Any]:
    """Read TOML as it stands, without checking what it says."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason = f"not TOML: {error}"
    except RecursionError:
        reason = "not a scenario: nested too deeply"
    except ValueError:  # Python converts no more than 4 300 digits
        reason = "not a scenario: a number in it has thousands of digits"
    raise ScenarioError([reason])


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
    market = make_market(form, data, folder, problems)
    policies = make_policies(data["policy"], len(market.arms), problems)
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
        record=data["record"],
        sample=_sample(data, problems),
        precision=make_precision(data, [choice.label for choice in policies], problems),
    )
    if problems:
        raise ScenarioError(problems)
    return scenario


def _sample(data: dict[str, Any], problems: list[str]) -> tuple[int, ...]:
    """The replications whose customers are recorded, if only some are."""
    given = data.get("sample")
    if data["record"] != "sample":
        if given is not None:
            problems.append(f'sample: needs record = "sample", got record = "{data["record"]}"')
        return ()
    if given is None:
        return tuple(range(SAMPLE))
    problems.extend(
        f"sample: no replication {each}; there are 0..{data['replications'] - 1}"
        for each in given
        if each >= data["replications"]
    )
    return tuple(dict.fromkeys(given))


def _sweep(form: Any, policies: tuple[Choice, ...], problems: list[str]) -> Sweep | None:
    if form.sweep is None:
        return None
    axes = form.sweep.axes()
    sharpened = form.precision or any(path.partition(".")[0] == "precision" for path in axes)
    if "replications" in axes and sharpened:
        problems.append(
            "sweep: varies replications, which only begin a run that goes on until it is precise; "
            "leave out the one or the other"
        )
    # Without defaults, so that a point may change a name and inherits no settings from the old one.
    base = form.model_dump(exclude_defaults=True, exclude={"sweep"})
    return make_sweep(form.sweep, base, tuple(choice.label for choice in policies), problems)
