"""Write the results of a run or a sweep as files."""

from __future__ import annotations

import platform
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from kcmab_abm.results.results import Results, Used
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.running.manifest import as_json
from kcmab_abm.running.options import Tell, silent

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_results(results: Results, folder: Path, measures: Sequence[str] = ()) -> None:
    """Write tables, curves and a figure of some measures."""
    # Late, because matplotlib takes half a second to import.
    from kcmab_abm.figures.outcome import draw_outcome
    from kcmab_abm.figures.style import save

    write_table(results.summary(), folder, "summary")
    results.arms().to_csv(folder / "arms.csv", index=False)
    _write_both(results, folder)
    save(draw_outcome(results, *measures), folder, "figure")


def write_sweep(
    results: SweepResults, folder: Path, tell: Tell = silent, measures: Sequence[str] = ()
) -> None:
    """Write tables, curves and figures of a sweep; `tell` is called if a figure is left out."""
    # Late, because matplotlib takes half a second to import.
    from kcmab_abm.figures.frontier import draw_frontier, why_no_frontier
    from kcmab_abm.figures.scatter import draw_scatter
    from kcmab_abm.figures.sensitivity import draw_sensitivity
    from kcmab_abm.figures.settings import draw_settings
    from kcmab_abm.figures.style import save

    write_table(results.table, folder, "sweep")
    if results.scenario.record != "curves":
        points = results.axes.assign(point=range(1, len(results.axes) + 1))
        points.set_index("point").to_csv(folder / "points.csv")
    _write_both(results, folder)
    plan = results.scenario.sweep
    draw = draw_settings if plan is None or plan.sample is None else draw_scatter
    figures: dict[str, Figure | None] = {}
    if results.has_sensitivity and len(set(results.replications)) == 1:
        table = sensitivity_of(results, measures)
        write_table(table, folder, "sensitivity")
        figures["sensitivity"] = draw_sensitivity(table, results)
    figures |= {
        "figure": draw(results, *measures),
        "frontier": draw_frontier(results),
    }
    for name, figure in figures.items():
        if figure is not None:
            save(figure, folder, name)
    if reason := why_no_frontier(results):
        tell(reason)


def sensitivity_of(results: SweepResults, measures: Sequence[str] = ()) -> pd.DataFrame:
    """Return the Sobol indices of some measures, by default of those that tables show."""
    own = results.scenario.measures.names
    shown = measures or [results.regret_measure, "compensation", *own]
    return pd.concat([results.sensitivity(each) for each in shown], ignore_index=True)


def _write_both(results: Results | SweepResults, folder: Path) -> None:
    """Write the files that runs and sweeps have in common."""
    results.paired().to_csv(folder / "paired.csv", index=False)
    precision = results.precision()
    if len(precision) > 0:
        precision.to_csv(folder / "precision.csv", index=False)
    for name, table in {"curves": results.curves(), "finals": results.finals()}.items():
        table.to_parquet(folder / f"{name}.parquet", index=False, write_page_checksum=True)


def write_table(table: pd.DataFrame, folder: Path, name: str) -> None:
    """Write a table as CSV and as JSON."""
    table.to_csv(folder / f"{name}.csv", index=False)
    rows = [_without_nan(row) for row in table.to_dict("records")]
    (folder / f"{name}.json").write_bytes(as_json(rows))


def manifest(results: Results | SweepResults) -> dict[str, Any]:
    """Return the manifest: what is needed to run it again and compare the results."""
    engines: Any
    if isinstance(results, Results):
        engines = _reasons(results.engines)
    else:
        engines = [_reasons(each.engines) for each in results.points]
    return {
        "digest": results.digest(),
        "scenario": results.scenario.settings,
        "seed": results.scenario.seed,
        "replications": results.replications,
        "engine": results.engine,
        "engines": engines,
        "platform": f"{platform.system()} {platform.machine()}",
    }


def _reasons(engines: dict[str, Used]) -> dict[str, dict[str, str]]:
    return {label: used._asdict() for label, used in engines.items()}


def _without_nan(row: dict[Hashable, Any]) -> dict[Hashable, Any]:
    """Replace NaN, which JSON lacks, by null."""
    return {column: None if value != value else value for column, value in row.items()}
