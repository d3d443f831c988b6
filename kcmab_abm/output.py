"""The results of a run or a sweep as files."""

from __future__ import annotations

import platform
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pandas as pd

from kcmab_abm.experiment import simulate
from kcmab_abm.folders import (
    MANIFEST,
    Tell,
    lasting_folder,
    silent,
    versions,
    write_json,
)
from kcmab_abm.journal import Journal
from kcmab_abm.results import Results, Used
from kcmab_abm.scenario import Scenario
from kcmab_abm.sweeps import SweepResults, sweep


def run(
    scenario: Scenario,
    out: str | Path,
    *,
    force: bool = False,
    resume: bool = False,
    tell: Tell = silent,
    **how: Any,
) -> Results | SweepResults:
    """Run a scenario, or its sweep, into a folder: tables, figures and what is recorded.

    What is finished is kept in `OUT.partial` as it comes; when all is there, the folder takes its
    place. With `resume` the run goes on with what is there already, be it unfinished or finished
    with fewer replications; with `force` it replaces it. `tell` hears of files found damaged, which
    are made again; `how` are the options of `simulate`.
    """
    with lasting_folder(Path(out), force, resume, tell) as folder:
        journal = Journal(folder, tell)
        results: Results | SweepResults
        if scenario.sweep is None:
            results = simulate(scenario, journal=journal, **how)
            write_results(results, folder)
        else:
            results = sweep(scenario, journal=journal, **how)
            write_sweep(results, folder)
    return results


def write_results(results: Results, folder: Path) -> None:
    """Write tables, curves, figure and manifest."""
    # Late, because matplotlib takes half a second to import.
    from kcmab_abm.figures.outcome import draw_outcome
    from kcmab_abm.figures.style import save

    write_table(results.summary(), folder, "summary")
    results.paired().to_csv(folder / "paired.csv", index=False)
    results.arms().to_csv(folder / "arms.csv", index=False)
    results.curves().to_parquet(folder / "curves.parquet", index=False)
    results.finals().to_parquet(folder / "finals.parquet", index=False)
    save(draw_outcome(results), folder, "figure")
    write_json(folder / MANIFEST, manifest(results))


def write_sweep(results: SweepResults, folder: Path) -> None:
    """Write tables, curves, figures and manifest of a sweep."""
    # Late, because matplotlib takes half a second to import.
    from kcmab_abm.figures.frontier import draw_frontier
    from kcmab_abm.figures.settings import draw_settings
    from kcmab_abm.figures.style import save

    write_table(results.table, folder, "sweep")
    if results.scenario.record != "curves":
        points = results.axes.assign(point=range(1, len(results.axes) + 1))
        points.set_index("point").to_csv(folder / "points.csv")
    results.paired().to_csv(folder / "paired.csv", index=False)
    results.curves().to_parquet(folder / "curves.parquet", index=False)
    results.finals().to_parquet(folder / "finals.parquet", index=False)
    figure = draw_settings(results)
    if figure is not None:
        save(figure, folder, "figure")
    save(draw_frontier(results), folder, "frontier")
    write_json(folder / MANIFEST, manifest(results))


def write_table(table: pd.DataFrame, folder: Path, name: str) -> None:
    """A table as CSV and as JSON, the same columns in both."""
    table.to_csv(folder / f"{name}.csv", index=False)
    write_json(folder / f"{name}.json", [_without_nan(row) for row in table.to_dict("records")])


def manifest(results: Results | SweepResults) -> dict[str, Any]:
    """What one needs to run it again and to see that it came out the same."""
    engines: Any
    if isinstance(results, Results):
        engines = _reasons(results.engines)
    else:
        engines = [_reasons(each.engines) for each in results.points]
    return {
        "digest": results.digest(),
        "scenario": results.scenario.settings,
        "seed": results.scenario.seed,
        "engine": results.engine,
        "engines": engines,
        "versions": versions(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def _reasons(engines: dict[str, Used]) -> dict[str, dict[str, str]]:
    return {label: used._asdict() for label, used in engines.items()}


def _without_nan(row: dict[Hashable, Any]) -> dict[Hashable, Any]:
    """The row with null, which JSON knows, for every number that is none."""
    return {column: None if value != value else value for column, value in row.items()}
