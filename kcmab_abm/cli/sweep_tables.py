"""The command line's tables of sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from kcmab_abm.cli.tables import console, head, mean_and_width
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.running.write_results import sensitivity_of

MOST_ROWS = 100  # of a sweep on the terminal
_LONGEST_NUMBER = 10  # digits


def print_sweep(results: SweepResults, measures: Sequence[str] = ()) -> None:
    """Print the summary, one row per point and policy, or how much each setting matters.

    The points of a design for an analysis of sensitivity say little by themselves. Measures as for
    `print_results`.
    """
    if results.has_sensitivity and len(set(results.replications)) == 1:
        _print_sensitivity(results, measures)
    else:
        _print_points(results, measures)
    terminal = console()
    for line in _precision_lines(results):
        terminal.print(line, markup=False, soft_wrap=True)
    terminal.print(f"engine: {results.engine}")


def _print_points(results: SweepResults, measures: Sequence[str]) -> None:
    title = f"{results.scenario.title or 'Sweep'}: {results.size}"
    table = Table(title=Text(title, style="italic"), caption="mean with its 95 % interval")
    keys = [*map(str, results.axes), "policy"]
    for key in keys:
        table.add_column(Text(key), overflow="fold")
    own = results.scenario.measures.names
    net = ["net_regret"] if "net_regret" in results.table and not measures else []
    shown = measures or [results.regret_measure, "compensation", *net, *own]
    for name in [*(head(each, results.is_bayes) for each in shown), "accepted", "locked in"]:
        table.add_column(name, justify="right", no_wrap=True)
    rows = results.table.to_dict("records")
    for row in rows[:MOST_ROWS]:
        table.add_row(
            *(Text(_cell(row[key])) for key in keys),
            *(mean_and_width(row, each) for each in shown),
            f"{row['acceptance']:.1%}",
            f"{row['locked_in']:.1%}",
        )
    terminal = console()
    terminal.print(table)
    if len(rows) > MOST_ROWS:
        left = len(rows) - MOST_ROWS
        terminal.print(f"and {left:,} more rows; --out DIR writes all of them to DIR/sweep.csv")


def _print_sensitivity(results: SweepResults, measures: Sequence[str]) -> None:
    """Print the Sobol indices, one row per measure, policy and setting."""
    title = f"{results.scenario.title or 'Sweep'}: {results.size}"
    table = Table(title=Text(title, style="italic"), caption="share of variance, 95 % interval")
    for name in ("measure", "policy", "setting"):
        table.add_column(name, overflow="fold")
    for name in ("alone", "with interactions"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in sensitivity_of(results, measures).to_dict("records"):
        indices = [
            "{:.2f} [{:.2f}, {:.2f}]".format(
                *(round(row[name], 2) + 0.0 for name in (kind, f"{kind}_low", f"{kind}_high"))
            )
            for kind in ("first", "total")
        ]
        name = head(str(row["measure"]), results.is_bayes)
        words = [name, str(row["policy"]), str(row["setting"]), *indices]
        table.add_row(*map(Text, words))
    console().print(table)


def _cell(value: Any) -> str:
    """A value of a setting; numbers of a sample have more digits than anybody reads."""
    text = "" if value is None else str(value)
    return f"{value:.4g}" if isinstance(value, float) and len(text) > _LONGEST_NUMBER else text


def _precision_lines(results: SweepResults) -> Iterator[str]:
    """Report at how many points the precision was reached, and where it was not."""
    if results.scenario.precision is None:
        return
    failed = {
        place: missed
        for place, each in enumerate(results.points, 1)
        if (missed := [standing for standing in each.standings if not standing.reached])
    }
    count = len(results.points)
    yield f"precision reached at {count - len(failed):,} of {count:,} points"
    for place, missed in list(failed.items())[:MOST_ROWS]:
        yield from (f"point {place}: {standing}" for standing in missed)
