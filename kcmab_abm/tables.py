"""What the command line shows: progress, the summary, the catalogue."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from kcmab_abm.catalogue import BEHAVIOURS, LAWS, POLICIES, Entry, Law
from kcmab_abm.experiment import Engine, Results, choose_engine, simulate
from kcmab_abm.scenario import Scenario

_WIDTH = 120  # where the terminal does not say


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else _WIDTH, highlight=False)


def watched(scenario: Scenario, engine: Engine, jobs: int | None) -> Results:
    """Simulate with a progress bar on the terminal; silently where there is none."""
    if not sys.stderr.isatty():
        return simulate(scenario, engine=engine, jobs=jobs)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("preparing", total=None, speed="")
        for choice in scenario.policies:
            bar.update(task, description=f"preparing {choice.label} (compiled on first use)")
            choose_engine(scenario, choice, engine)

        def show(done: int, total: int) -> None:
            speed = f"{bar.tasks[task].speed or 0.0:,.0f} customers/s"
            bar.update(task, completed=done, total=total, speed=speed)

        bar.reset(task, total=1, description="simulating")
        return simulate(scenario, engine=engine, jobs=jobs, progress=show)


def print_results(results: Results) -> None:
    """The summary, one row a policy, and which engine ran."""
    scenario = results.scenario
    table = Table(
        title=f"{scenario.title or 'Results'}: {len(scenario.market.arms)} arms, "
        f"{scenario.horizon:,} customers, {scenario.replications:,} runs",
        caption="mean with its 95 % interval; [5 %, 95 %] of the runs in brackets",
    )
    table.add_column("policy", overflow="fold")
    columns = ["regret", "spread", "compensation", "spread", "accepted", "locked in", "engine"]
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for row in results.summary().to_dict("records"):
        table.add_row(
            str(row["policy"]),
            *_mean_and_spread(row, "regret"),
            *_mean_and_spread(row, "compensation"),
            f"{row['acceptance']:.1%}",
            f"{row['locked_in']:.1%}",
            str(row["engine"]),
        )
    console = _console()
    console.print(table)
    for reason, labels in _reasons(results).items():
        console.print(f"{reason}: {', '.join(labels)}", markup=False)


def _mean_and_spread(row: Any, measure: str) -> tuple[str, str]:
    width = row[f"{measure}_high"] - row[measure]
    mean = f"{row[measure]:.2f} ± {width:.2f}"
    return mean, f"[{row[f'{measure}_q05']:.1f}, {row[f'{measure}_q95']:.1f}]".replace("[", r"\[")


def _reasons(results: Results) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for label, used in results.engines.items():
        reasons.setdefault(f"{used.engine} engine, {used.reason}", []).append(label)
    return reasons


def print_catalogue(kind: str | None) -> None:
    """Everything that has a name, with its settings and one line of description."""
    console = _console()
    if kind in (None, "policies"):
        console.print(_entry_table("Policies", list(POLICIES)))
    if kind in (None, "behaviours"):
        console.print(_entry_table("Behaviours", list(BEHAVIOURS)))
    if kind in (None, "laws"):
        console.print(_law_table(list(LAWS)))


def _entry_table(title: str, entries: list[Entry]) -> Table:
    table = Table("name", "description", "settings", "from", title=title, show_lines=True)
    for entry in entries:
        settings = "\n".join(
            f"{word} = {parameter.default:g} ({parameter.range}): {parameter.about}"
            for word, parameter in entry.parameters.items()
        )
        table.add_row(entry.name, entry.about, settings, entry.cites)
    return table


def _law_table(laws: list[Law]) -> Table:
    table = Table("name", "description", "settings", title="Laws", show_lines=True)
    for law in laws:
        fields = law.settings.model_fields
        settings = "\n".join(f"{word}: {field.description}" for word, field in fields.items())
        table.add_row(law.name, law.about, settings)
    return table
