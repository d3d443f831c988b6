"""The results of a run as files."""

from __future__ import annotations

import platform
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from kcmab_abm.experiment import Results
from kcmab_abm.folders import MANIFEST, new_folder, versions, write_json


def write_results(results: Results, folder: Path, force: bool = False) -> None:
    """Write tables, curves, figure and manifest into a new folder, all of them or none."""
    with new_folder(folder, force) as stage:
        _fill(results, stage)


def _fill(results: Results, folder: Path) -> None:
    # Late, because matplotlib takes half a second to import.
    from kcmab_abm.figures.outcome import draw_outcome
    from kcmab_abm.figures.style import save

    summary = results.summary()
    summary.to_csv(folder / "summary.csv", index=False)
    write_json(folder / "summary.json", [_without_nan(row) for row in summary.to_dict("records")])
    results.paired().to_csv(folder / "paired.csv", index=False)
    results.arms().to_csv(folder / "arms.csv", index=False)
    results.curves().to_parquet(folder / "curves.parquet", index=False)
    results.finals().to_parquet(folder / "finals.parquet", index=False)
    save(draw_outcome(results), folder, "figure")
    write_json(folder / MANIFEST, manifest(results))


def manifest(results: Results) -> dict[str, Any]:
    """What one needs to run it again and to see that it came out the same."""
    engines = {label: used._asdict() for label, used in results.engines.items()}
    return {
        "digest": results.digest(),
        "scenario": results.scenario.settings,
        "seed": results.scenario.seed,
        "engine": results.engine,
        "engines": engines,
        "versions": versions(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def _without_nan(row: dict[Hashable, Any]) -> dict[Hashable, Any]:
    """The row with null, which JSON knows, for every number that is none."""
    return {column: None if value != value else value for column, value in row.items()}
