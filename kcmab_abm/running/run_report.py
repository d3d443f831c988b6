"""The report on a run or a sweep: question, verdicts, tables, figures, settings and digest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kcmab_abm.results.lock_in import lock_in_warnings
from kcmab_abm.results.results import Results
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.running.html_page import as_text, html_page, table_lines
from kcmab_abm.running.manifest import versions
from kcmab_abm.scenario.paths import written, written_key
from kcmab_abm.scenario.setting_names import setting_name

REPORT = "report.html"
ERROR = 0.05  # probability that any verdict is wrong
_FIGURES = {
    "figure": "Costs",
    "frontier": "Regret against compensation: only what the controller chooses is compared",
    "sensitivity": "How much of the variance each setting explains",
}
_MOST_ROWS = 200  # of a table


def write_report(results: Results | SweepResults, folder: Path) -> None:
    """Write the report into a folder that has the figures already."""
    title = results.scenario.title or "Results"
    page = html_page(report(results, folder), title, folder)
    (folder / REPORT).write_text(page, encoding="utf-8")


def report(results: Results | SweepResults, folder: Path) -> str:
    """The report in Markdown, with links to the figures in the folder."""
    scenario = results.scenario
    figures = [
        f"![{caption}]({name}.png)"
        for name, caption in _FIGURES.items()
        if (folder / f"{name}.png").exists()
    ]
    sections = [
        f"# {as_text(scenario.title or 'Results')}",
        as_text(f"{scenario.size[0].upper()}{scenario.size[1:]}. Seed {scenario.seed}."),
        "## Verdicts",
        *_verdicts(results),
        "## Costs at the end",
        *_costs(results),
        *(["## Figures", *figures] if figures else []),
        "## Settings",
        "```\n" + "\n".join(_settings(scenario.settings)) + "\n```",
        "## Record",
        "\n".join(table_lines(["what", "value"], [*_record(results)])),
    ]
    return "\n\n".join(sections) + "\n"


def _verdicts(results: Results | SweepResults) -> Iterator[str]:
    """Which of two policies costs less, at every point."""
    labels = list(results.summary()["policy"].drop_duplicates())
    measures = [results.regret_measure, "compensation"]
    points = 1 if isinstance(results, Results) else len(results.points)
    count = len(measures) * points * len(labels) * (len(labels) - 1) // 2
    if count == 0:
        yield "There is one policy, and so nothing to compare."
        return
    rows = []
    for one, other in combinations(labels, 2):
        table = results.paired(one, other, confidence=1.0 - ERROR / count)
        for measure in measures:
            here = table[table["measure"] == measure]
            unsure = [measure != "compensation" and few for few in _few(results, (one, other))]
            verdict = _verdict(here, unsure, results)
            rows.append([as_text(one), as_text(other), _words(measure), *verdict])
    yield "\n".join(table_lines(["policy", "other", "cost", "difference", "verdict"], rows))
    stopped = results.scenario.precision is not None
    fixed = " They are computed as if the number of runs had been fixed." if stopped else ""
    yield (
        "The difference is the first policy's cost less the other's, on the same rewards. "
        f"All {count} intervals hold together with a probability of about {1.0 - ERROR:.0%} "
        f"(Bonferroni).{fixed}"
    )
    yield from (as_text(line) for line in _cautions(results))


def _few(results: Results | SweepResults, pair: tuple[str, str]) -> list[bool]:
    """For every point, True if so few runs of either policy locked in that intervals fail."""
    if isinstance(results, Results):
        tables = [results.summary()]
    else:
        tables = [each.summary for each in results.points]
    return [bool(table[table["policy"].isin(pair)]["few_locked_in"].any()) for table in tables]


def _verdict(
    rows: pd.DataFrame, unsure: list[bool], results: Results | SweepResults
) -> tuple[str, str]:
    """The difference with its interval, and the verdict; counted over the points of a sweep."""
    sure = ~np.array(unsure)
    lower = int(((rows["high"] < 0.0).to_numpy() & sure).sum())
    higher = int(((rows["low"] > 0.0).to_numpy() & sure).sum())
    if isinstance(results, Results):
        row = rows.iloc[0]
        verdict = "**lower**" if lower else "**higher**" if higher else "inconclusive"
        return f"{row['difference']:.4g} in [{row['low']:.4g}, {row['high']:.4g}]", verdict
    ends = rows["difference"].min(), rows["difference"].max()
    open_ = len(rows) - lower - higher
    words = {"lower": lower, "higher": higher, "inconclusive": open_}
    told = ", ".join(f"{word} at {number}" for word, number in words.items() if number)
    return f"{ends[0]:.4g} to {ends[1]:.4g}", f"{told} of {len(rows)} points"


def _cautions(results: Results | SweepResults) -> Iterator[str]:
    """What makes intervals of regret unreliable, and the precision that was reached."""
    if isinstance(results, Results):
        yield from lock_in_warnings(results.runs, results.scenario, results.regret_measure)
        yield from (str(standing) for standing in results.standings())
        return
    table = results.table
    few = table[table["few_locked_in"]]
    if len(few) > 0:
        labels = ", ".join(few["policy"].drop_duplicates())
        yield (
            f"In {len(few)} of {len(table)} rows below, so few runs locked in on a wrong "
            f"arm that the interval of regret is too narrow ({labels}): no verdict rests on them."
        )
    if results.scenario.precision is not None:
        reached = sum(all(each.reached for each in point.standings) for point in results.points)
        yield f"The precision was reached at {reached} of {len(results.points)} points."


def _costs(results: Results | SweepResults) -> Iterator[str]:
    """The summary, with half the widths of the intervals."""
    table = results.summary()
    axes = [str(name) for name in table][: list(table).index("policy")]
    own = results.scenario.measures.names
    measures = [results.regret_measure, "compensation", *own]
    heads = [*(setting_name(results.scenario, axis) for axis in axes), "policy"]
    rows = []
    for row in table[:_MOST_ROWS].to_dict("records"):
        told = [as_text(_value(row[axis])) for axis in (*axes, "policy")]
        costs = [_with_width(row, each) for each in measures]
        shares = [f"{row[each]:.1%}" for each in ("acceptance", "locked_in")]
        rows.append([*told, *costs, *shares, f"{row['replications']:,}"])
    last = ["accepted", "locked in", "runs"]
    yield "\n".join(table_lines([*map(as_text, heads), *map(_words, measures), *last], rows))
    if len(table) > _MOST_ROWS:
        yield f"The first {_MOST_ROWS} rows of {len(table):,}; the others are in sweep.csv."
    yield "Means with half the widths of their 95 % intervals."


def _with_width(row: dict[Any, Any], measure: str) -> str:
    return f"{row[measure]:.4g} ± {row[f'{measure}_high'] - row[measure]:.2g}"


def _value(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _words(name: str) -> str:
    return as_text(name.replace("_", " ").replace("-", " "))


def _settings(settings: Any, path: str = "") -> Iterator[str]:
    """Every setting with its path, as written in a scenario file."""
    if isinstance(settings, dict) and settings:
        for key, value in settings.items():
            yield from _settings(value, f"{path}.{written_key(str(key))}".lstrip("."))
    elif isinstance(settings, list) and settings and isinstance(settings[0], dict):
        for place, value in enumerate(settings):
            yield from _settings(value, f"{path}[{place}]")
    else:
        yield f"{path} = {written(settings)}"


def _record(results: Results | SweepResults) -> Iterator[list[str]]:
    """What is needed to repeat the run and to compare the results."""
    yield ["digest of the results", f"`{results.digest()}`"]
    yield ["engine", results.engine]
    yield from ([as_text(name), as_text(number)] for name, number in versions().items())
