"""The command `kcmab compare`."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kcmab_abm.cli.options import force_option, out_option
from kcmab_abm.running.manifest import write_manifest
from kcmab_abm.running.results_folder import check_folder, new_folder

if TYPE_CHECKING:
    import pandas as pd

    from kcmab_abm.results.comparison import Comparison

_MOST_ROWS = 100  # on the terminal


@click.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@out_option
@force_option
def compare(first: Path, second: Path, out: Path | None, force: bool) -> None:
    """Compare two folders of results.

    Differences are second minus first, with confidence intervals.

    \b
    Example:
      kcmab compare results-before results-after
    """
    from kcmab_abm.results.comparison import compare as match
    from kcmab_abm.running.read_results import read_record

    comparison = match(read_record(first), read_record(second))
    if out is not None:
        check_folder(out, force)
        _write(comparison, out, force)
    _print(comparison)
    if out is not None:
        click.echo(f"Written to {out}: compare.csv, compare.json, figure.png, figure.svg.")


def _print(comparison: Comparison) -> None:
    from kcmab_abm.cli.tables import print_frame

    click.echo("Settings that differ:" if comparison.changes else "No setting differs.")
    for path, old, new in comparison.changes:
        click.echo(f"  {path}: {old} -> {new}")
    for note in comparison.notes:
        click.echo(note)
    print_frame("Second minus first", _shown(comparison)[:_MOST_ROWS])
    if len(comparison.table) > _MOST_ROWS:
        left = len(comparison.table) - _MOST_ROWS
        click.echo(f"and {left:,} more rows; --out DIR writes all of them to DIR/compare.csv")


def _shown(comparison: Comparison) -> pd.DataFrame:
    """Format the table for the terminal, with each interval in one column."""
    hidden = {"regret", "dynamic_regret"} - {comparison.regret_measure}
    table = comparison.table[~comparison.table["measure"].isin(hidden)]
    shown = table[["policy", "measure", "first", "second", "difference"]].copy()
    for place, axis in enumerate(comparison.first.axes):
        shown.insert(place, axis, table[axis].map(str))
    ends = zip(table["low"], table["high"], strict=True)
    shown["95 % interval"] = [f"[{low:,.2f}, {high:,.2f}]" for low, high in ends]
    shown["variance_saved"] = table["variance_saved"]
    return shown


def _write(comparison: Comparison, out: Path, force: bool) -> None:
    # Late, because matplotlib takes half a second to import.
    from kcmab_abm.figures.differences import draw_differences
    from kcmab_abm.figures.style import save
    from kcmab_abm.running.write_results import write_table

    with new_folder(out, force) as stage:
        write_table(comparison.table, stage, "compare")
        axes, regret = list(comparison.first.axes), comparison.regret_measure
        figure = draw_differences(comparison.table, axes, regret, _title(comparison))
        save(figure, stage, "figure")
        write_manifest(stage, _manifest(comparison))


def _title(comparison: Comparison) -> str:
    return f"{comparison.second.folder.name} minus {comparison.first.folder.name}"


def _manifest(comparison: Comparison) -> dict[str, Any]:
    both = {"first": comparison.first, "second": comparison.second}
    digests = "".join(each.digest for each in both.values())
    return {
        "digest": hashlib.sha256(digests.encode()).hexdigest(),
        "folders": {name: str(each.folder) for name, each in both.items()},
        "digests": {name: each.digest for name, each in both.items()},
        "scenario": {name: each.scenario for name, each in both.items()},
        "seed": {name: each.seed for name, each in both.items()},
        "changes": [list(change) for change in comparison.changes],
        "notes": comparison.notes,
    }
