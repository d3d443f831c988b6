"""The command line's output: progress and tables of results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kcmab_abm.catalogue.registry import unknown
from kcmab_abm.errors import MarketError
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.results.lock_in import lock_in_warnings
from kcmab_abm.results.results import Results
from kcmab_abm.running.options import RunOptions
from kcmab_abm.running.progress import progress_bar, reporting
from kcmab_abm.scenario.scenario import Scenario

Outcome = TypeVar("Outcome")

_WIDTH = 120  # where there is no terminal


def console() -> Console:
    """Return a console as wide as the terminal; of a fixed width if there is none."""
    return Console(width=None if sys.stdout.isatty() else _WIDTH, highlight=False)


def watched(
    work: Callable[[Scenario, RunOptions], Outcome], scenario: Scenario, options: RunOptions
) -> Outcome:
    """Run a scenario with a progress bar."""
    with progress_bar("preparing") as show:
        return work(scenario, reporting(options, show))


def check_measures(scenario: Scenario, measures: Sequence[str]) -> None:
    """Raise an error if a measure to be shown is none of the scenario's."""
    known = [*CURVES, *scenario.measures.names]
    for name in measures:
        if name not in known:
            raise MarketError(f"--measure: {unknown('measure', name, known)}")


def print_results(results: Results, measures: Sequence[str] = ()) -> None:
    """Print the summary, one row per policy, and the engines used.

    Regret and compensation come first, and then the scenario's own measures, unless some are given.
    """
    scenario = results.scenario
    title = (
        f"{scenario.title or 'Results'}: {len(scenario.market.arms)} arms, "
        f"{scenario.horizon:,} customers, {results.replications:,} runs"
    )
    fixed = ", as if the number of runs had been fixed" if scenario.precision else ""
    table = Table(
        title=Text(title, style="italic"),
        caption=f"mean with its 95 % interval{fixed}; [5 %, 95 %] of the runs in brackets",
    )
    table.add_column("policy", overflow="fold")
    shown = measures or [results.regret_measure, "compensation"]
    heads = [name for each in shown for name in (head(each, results.is_bayes), "spread")]
    for name in [*heads, "accepted", "locked in", "engine"]:
        table.add_column(name, justify="right", no_wrap=True)
    rows = results.summary().to_dict("records")
    for row in rows:
        table.add_row(
            Text(str(row["policy"])),
            *(cell for each in shown for cell in _mean_and_spread(row, each)),
            f"{row['acceptance']:.1%}",
            f"{row['locked_in']:.1%}",
            str(row["engine"]),
        )
    terminal = console()
    terminal.print(table)
    if scenario.measures.choices and not measures:
        terminal.print(_own_table(rows, scenario.measures.names))
    for standing in results.standings():
        terminal.print(str(standing), markup=False, soft_wrap=True)
    unsure = lock_in_warnings(results.runs, scenario, results.regret_measure)
    for line in (*_net_regret(rows), *_frictions(rows), *unsure):
        terminal.print(line, markup=False, soft_wrap=True)
    for reason, labels in _reasons(results).items():
        terminal.print(f"{reason}: {', '.join(labels)}", markup=False)


def head(measure: str, is_bayes: bool) -> str:
    """The heading of a measure; regret over markets drawn from a prior is Bayes regret."""
    words = measure.replace("_", " ")
    return f"Bayes {words}" if is_bayes and measure in CURVES and "regret" in measure else words


def _own_table(rows: list[Any], measures: Sequence[str]) -> Table:
    """A table with the scenario's own measures, one row per policy."""
    table = Table()
    table.add_column("policy", overflow="fold")
    for name in measures:
        table.add_column(name, justify="right", overflow="fold")
    for row in rows:
        means = (mean_and_width(row, name) for name in measures)
        table.add_row(Text(str(row["policy"])), *means)
    return table


def _net_regret(rows: list[Any]) -> list[str]:
    """Report regret against the best arm net of what its customers must be paid, if there is."""
    if "net_regret" not in rows[0]:
        return []
    found = ", ".join(f"{row['policy']} {mean_and_width(row, 'net_regret')}" for row in rows)
    return [f"net regret, against the best arm net of its necessary incentive: {found}"]


def _frictions(rows: list[Any]) -> list[str]:
    """Report customers who left and waiting times, if there were any."""
    lines = []
    if any(row["left"] > 0.0 for row in rows):
        shares = ", ".join(f"{row['policy']} {row['left']:.1%}" for row in rows)
        lines.append(f"left without taking an arm: {shares}")
    if any(row["mean_wait"] > 0.0 for row in rows):
        waits = ", ".join(f"{row['policy']} {row['mean_wait']:.3g}" for row in rows)
        lines.append(f"mean time in line: {waits}")
    return lines


def mean_and_width(row: Any, measure: str) -> str:
    """The mean with half the width of its interval; other measures may be of any magnitude."""
    width = row[f"{measure}_high"] - row[measure]
    if measure in CURVES or measure == "net_regret":
        return f"{row[measure]:.2f} ± {width:.2f}"
    return f"{row[measure]:.4g} ± {width:.2g}"


def _mean_and_spread(row: Any, measure: str) -> tuple[str, str]:
    mean = mean_and_width(row, measure)
    if measure not in CURVES:
        spread = f"[{row[f'{measure}_q05']:.3g}, {row[f'{measure}_q95']:.3g}]"
        return mean, spread.replace("[", r"\[")
    if measure == "realised_regret":  # the summary has no quantiles of it
        return mean, ""
    return mean, f"[{row[f'{measure}_q05']:.1f}, {row[f'{measure}_q95']:.1f}]".replace("[", r"\[")


def print_frame(title: str, frame: pd.DataFrame, places: int = 2) -> None:
    """Print a data frame as a table, with numbers to so many decimal places."""
    table = Table(title=Text(title, style="italic"))
    for column in frame.columns:
        number = pd.api.types.is_numeric_dtype(frame[column])
        justify: Any = "right" if number else "left"
        table.add_column(Text(column.replace("_", " ")), justify=justify, overflow="fold")
    for row in frame.itertuples(index=False):
        table.add_row(*(Text(_cell(value, places)) for value in row))
    console().print(table)


def _cell(value: Any, places: int) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:,.{places}f}"
    return "" if value is None else str(value)


def _reasons(results: Results) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for label, used in results.engines.items():
        reasons.setdefault(f"{used.engine} engine, {used.reason}", []).append(label)
    return reasons
