"""What the command line shows: progress, the summary, the catalogue."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import pandas as pd
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from kcmab_abm.catalogue import BEHAVIOURS, LAWS, POLICIES, PRICING
from kcmab_abm.entries import Entry, Law
from kcmab_abm.experiment import Engine, choose_engine
from kcmab_abm.precision import Standing
from kcmab_abm.results import Results
from kcmab_abm.scenario import Scenario
from kcmab_abm.sweeps import SweepResults, prepare

Outcome = TypeVar("Outcome")

_WIDTH = 120  # where the terminal does not say
_MOST_ROWS = 100  # of a sweep on the terminal


def console() -> Console:
    """The terminal, or a wide page where the output goes elsewhere."""
    return Console(width=None if sys.stdout.isatty() else _WIDTH, highlight=False)


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[..., None]]:
    """A bar on the terminal; nothing where there is none.

    What it yields is called with what is done and the total, or with a new description.
    """
    if not sys.stderr.isatty():
        yield lambda *_, **__: None
        return
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(description, total=None, speed="")

        def show(
            done: int | None = None, total: int | None = None, doing: str | None = None
        ) -> None:
            pace = bar.tasks[task].speed
            speed = f"{pace:,.0f} a second" if pace and done else ""
            bar.update(task, completed=done, total=total, speed=speed, description=doing)

        yield show


def watched(run: Callable[..., Outcome], scenario: Scenario, engine: Engine, **how: Any) -> Outcome:
    """Call `run` with a progress bar on the terminal; silently where there is none."""
    with progress_bar("preparing") as show:
        if scenario.sweep is not None:
            show(doing="preparing (compiled on first use)")
            points = len(prepare(scenario, engine).points)
            show(doing=f"customers served, {points:,} points")
        else:
            for choice in scenario.policies:
                show(doing=f"preparing {choice.label} (compiled on first use)")
                choose_engine(scenario, choice, engine)
            show(doing="customers served")

        def watch(standings: Sequence[Standing]) -> None:
            show(doing=_widest(standings))

        return run(scenario, engine=engine, progress=show, watch=watch, **how)


def _widest(standings: Sequence[Standing]) -> str:
    """Where the policy stands that has farthest to go."""
    worst = max(standings, key=lambda each: each.lacking)
    measure = worst.measure.replace("_", " ")
    return f"{worst.name}: {measure} ± {worst.half_width:.3g}, wanted {worst.wanted:.3g}"


def print_results(results: Results) -> None:
    """The summary, one row a policy, and which engine ran."""
    scenario = results.scenario
    title = (
        f"{scenario.title or 'Results'}: {len(scenario.market.arms)} arms, "
        f"{scenario.horizon:,} customers, {results.replications:,} runs"
    )
    fixed = ", as if so many runs had been planned" if scenario.precision else ""
    table = Table(
        title=Text(title, style="italic"),
        caption=f"mean with its 95 % interval{fixed}; [5 %, 95 %] of the runs in brackets",
    )
    table.add_column("policy", overflow="fold")
    regret = results.regret_measure
    columns = [
        regret.replace("_", " "),
        "spread",
        "compensation",
        "spread",
        "accepted",
        "locked in",
        "engine",
    ]
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    rows = results.summary().to_dict("records")
    for row in rows:
        table.add_row(
            Text(str(row["policy"])),
            *_mean_and_spread(row, regret),
            *_mean_and_spread(row, "compensation"),
            f"{row['acceptance']:.1%}",
            f"{row['locked_in']:.1%}",
            str(row["engine"]),
        )
    terminal = console()
    terminal.print(table)
    for standing in results.standings():
        terminal.print(str(standing), markup=False, soft_wrap=True)
    for line in _frictions(rows):
        terminal.print(line, markup=False)
    for reason, labels in _reasons(results).items():
        terminal.print(f"{reason}: {', '.join(labels)}", markup=False)


def print_sweep(results: SweepResults) -> None:
    """The summary, one row a point and policy."""
    title = f"{results.scenario.title or 'Sweep'}: {results.size}"
    table = Table(title=Text(title, style="italic"), caption="mean with its 95 % interval")
    keys = [*map(str, results.axes), "policy"]
    for key in keys:
        table.add_column(Text(key), overflow="fold")
    regret = results.regret_measure
    for name in [regret.replace("_", " "), "compensation", "accepted", "locked in"]:
        table.add_column(name, justify="right", no_wrap=True)
    rows = results.table.to_dict("records")
    for row in rows[:_MOST_ROWS]:
        table.add_row(
            *(Text("" if row[key] is None else str(row[key])) for key in keys),
            _mean_and_spread(row, regret)[0],
            _mean_and_spread(row, "compensation")[0],
            f"{row['acceptance']:.1%}",
            f"{row['locked_in']:.1%}",
        )
    terminal = console()
    terminal.print(table)
    if len(rows) > _MOST_ROWS:
        left = len(rows) - _MOST_ROWS
        terminal.print(f"and {left:,} more rows; --out DIR writes all of them to DIR/sweep.csv")
    for line in _precision_lines(results):
        terminal.print(line, markup=False, soft_wrap=True)
    terminal.print(f"engine: {results.engine}")


def _precision_lines(results: SweepResults) -> Iterator[str]:
    """At how many points the precision was reached, and where it was not."""
    if results.scenario.precision is None:
        return
    missed = {
        place: [standing for standing in each.standings if not standing.reached]
        for place, each in enumerate(results.points, 1)
    }
    failed = {place: standings for place, standings in missed.items() if standings}
    count = len(results.points)
    yield f"precision reached at {count - len(failed):,} of {count:,} points"
    for place, standings in list(failed.items())[:_MOST_ROWS]:
        yield from (f"point {place}: {standing}" for standing in standings)


def _frictions(rows: list[Any]) -> list[str]:
    """What customers went through beside choosing, where they did."""
    lines = []
    if any(row["left"] > 0.0 for row in rows):
        shares = ", ".join(f"{row['policy']} {row['left']:.1%}" for row in rows)
        lines.append(f"left without taking an arm: {shares}")
    if any(row["mean_wait"] > 0.0 for row in rows):
        waits = ", ".join(f"{row['policy']} {row['mean_wait']:.3g}" for row in rows)
        lines.append(f"mean time in line: {waits}")
    return lines


def _mean_and_spread(row: Any, measure: str) -> tuple[str, str]:
    width = row[f"{measure}_high"] - row[measure]
    mean = f"{row[measure]:.2f} ± {width:.2f}"
    return mean, f"[{row[f'{measure}_q05']:.1f}, {row[f'{measure}_q95']:.1f}]".replace("[", r"\[")


def print_frame(title: str, frame: pd.DataFrame) -> None:
    """A data frame as a table, numbers to two places."""
    table = Table(title=Text(title, style="italic"))
    for column in frame.columns:
        number = pd.api.types.is_numeric_dtype(frame[column])
        justify: Any = "right" if number else "left"
        table.add_column(Text(column.replace("_", " ")), justify=justify, overflow="fold")
    for row in frame.itertuples(index=False):
        table.add_row(*(Text(_cell(value)) for value in row))
    console().print(table)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:,.2f}"
    return "" if value is None else str(value)


def _reasons(results: Results) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for label, used in results.engines.items():
        reasons.setdefault(f"{used.engine} engine, {used.reason}", []).append(label)
    return reasons


def print_catalogue(kind: str | None) -> None:
    """Everything that has a name, with its settings and one line of description."""
    terminal = console()
    if kind in (None, "policies"):
        terminal.print(_entry_table("Policies", list(POLICIES)))
    if kind in (None, "behaviours"):
        terminal.print(_entry_table("Behaviours", list(BEHAVIOURS)))
    if kind in (None, "pricing"):
        terminal.print(_entry_table("Pricing rules", list(PRICING)))
    if kind in (None, "laws"):
        terminal.print(_law_table(list(LAWS)))


def _entry_table(title: str, entries: list[Entry]) -> Table:
    table = Table("name", "description", "settings", "from", title=title, show_lines=True)
    for entry in entries:
        settings = "\n".join(
            f"{word} = {parameter.shown} ({parameter.range}): {parameter.about}"
            for word, parameter in entry.parameters.items()
        )
        fields = entry.settings.model_fields if entry.settings else {}
        settings += "".join(f"\n{word}: {field.description}" for word, field in fields.items())
        if entry.compose:
            settings = "of: the kinds of customers, each with its settings and a weight"
        table.add_row(*map(Text, [entry.name, entry.about, settings, entry.cites]))
    return table


def _law_table(laws: list[Law]) -> Table:
    table = Table("name", "description", "settings", title="Laws", show_lines=True)
    for law in laws:
        fields = law.settings.model_fields
        settings = "\n".join(f"{word}: {field.description or ''}" for word, field in fields.items())
        table.add_row(*map(Text, [law.name, law.about, settings]))
    return table
