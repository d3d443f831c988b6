"""Run one scenario, or all points of a sweep, through one queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from kcmab_abm.results.results import Results, Used
from kcmab_abm.running.chunk_queue import work_off
from kcmab_abm.running.engine_choice import choose_engine
from kcmab_abm.running.options import RunOptions
from kcmab_abm.running.replications import Meter, Replications, named
from kcmab_abm.scenario.scenario import Scenario

Kept = TypeVar("Kept")


class Part(NamedTuple):
    """A scenario to run: a whole experiment, or a point of a sweep, counted from 1."""

    scenario: Scenario
    point: int | None = None
    name: str = ""


def run_all(
    parts: Sequence[Part], options: RunOptions, reduce: Callable[[Results], Kept]
) -> list[Kept]:
    """Run all replications of all parts; `reduce` says what to keep of the results of each."""
    used = [_engines(part, options) for part in parts]
    points = f", {len(parts):,} points" if parts[0].point else ""
    options.stage(f"customers served{points}")
    meter = Meter(sum(_customers(part.scenario) for part in parts), options.progress)
    # Created one at a time, when workers get to them, and reduced when done, to save memory.
    works = (
        Replications(
            part.scenario,
            {label: each.engine for label, each in engines.items()},
            meter=meter,
            journal=options.journal and options.journal.at(part.point),
            watch=options.watch,
            name=part.name,
        )
        for part, engines in zip(parts, used, strict=True)
    )
    found: dict[int, Kept] = {}

    def finish(place: int, work: Replications) -> None:
        found[place] = reduce(Results(work.scenario, used[place], work.runs, work.points))

    needed = [each.engine for engines in used for each in engines.values()]
    work_off(works, needed, finish, meter, options)
    return [found[place] for place in range(len(parts))]


def _customers(scenario: Scenario) -> int:
    """The number of customers in all replications of all policies."""
    return scenario.horizon * scenario.replications * len(scenario.policies)


def _engines(part: Part, options: RunOptions) -> dict[str, Used]:
    """Choose the engine of every policy."""
    used = {}
    with named(part.name):
        for choice in part.scenario.policies:
            options.stage(f"preparing {choice.label} (compiled on first use)")
            used[choice.label] = choose_engine(part.scenario, choice, options.engine)
    return used
