"""The report: the paper's claims beside the measurements, as Markdown and as one HTML file."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pandas as pd
from markdown_it import MarkdownIt

from kcmab_abm.paper.claims import FAMILY_ERROR, SLIGHTLY, Finding
from kcmab_abm.paper.study import PLOTS
from kcmab_abm.results import Results
from kcmab_abm.yardsticks import yardstick_table

_STYLE = """
body { font: 18px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
       color: #1a1a1a; background: #fff; }
h1, h2, h3 { line-height: 1.2; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 0.9em; }
th, td { border-bottom: 1px solid #ccc; padding: 0.35rem 0.6rem; text-align: left; }
th { border-bottom: 2px solid #555; }
img { max-width: 100%; height: auto; }
code { background: #f2f2f2; padding: 0 0.2em; overflow-wrap: anywhere; }
"""


def markdown(results: dict[str, Results], findings: list[Finding]) -> str:
    """The whole report."""
    first = next(iter(results.values()))
    scenario = first.scenario
    sections = [
        "# Multi-armed bandits with compensation: the experiments, rerun",
        f"Nine arms with means 0.9, 0.8, ..., 0.1; {scenario.horizon:,} customers; "
        f"{scenario.replications:,} runs; seed {scenario.seed}; greedy customers. All policies "
        "meet the same rewards in the same run, so differences are taken run by run.",
        _verdicts(findings, list(results)),
        *(_law_section(law, each) for law, each in results.items()),
        _READING,
    ]
    return "\n\n".join(sections) + "\n"


def _verdicts(findings: list[Finding], laws: list[str]) -> str:
    count = len(findings)
    lines = [
        "## Claims and verdicts",
        "",
        f"Each claim is a number for every run that the claim says to be positive on average; the "
        f"{count} intervals hold all at once with probability {1 - FAMILY_ERROR:.0%} (Bonferroni, "
        "Student). A claim holds if its interval lies above 0, does not hold if it lies below, and "
        f"cannot be told otherwise. 'Slightly larger' is read as: at most {SLIGHTLY:g} times. A "
        "bound that is respected here is not thereby proved.",
        "",
        f"| where | claim | {' | '.join(laws)} |",
        "|---|---|" + "---|" * len(laws),
    ]
    for row in range(0, count, len(laws)):
        group = findings[row : row + len(laws)]
        cells = [f"**{f.verdict}**: {f.mean:.2f} in [{f.low:.2f}, {f.high:.2f}]" for f in group]
        lines.append(f"| {group[0].claim.where} | {group[0].claim.text} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _law_section(law: str, results: Results) -> str:
    columns = ["policy", "regret", "compensation", "median regret", "locked in", "accepted"]
    lines = [f"## {law.capitalize()} rewards", "", f"| {' | '.join(columns)} |", "|---" * 6 + "|"]
    lines += [
        f"| {row['policy']} | {_with_error(row, 'regret')} | {_with_error(row, 'compensation')}"
        f" | {row['regret_median']:.1f} | {row['locked_in']:.1%} | {row['acceptance']:.1%} |"
        for row in results.summary().to_dict("records")
    ]
    lines += ["", "Means with their 95 % intervals.", ""]
    for plot in PLOTS:
        lines += [f"### Figure {plot.number}: {plot.title}", "", _image(law, plot.number), ""]
    lines += ["### The bounds beside it", "", _bounds(yardstick_table(results))]
    return "\n".join(lines)


def _with_error(row: dict, measure: str) -> str:  # type: ignore[type-arg]
    return f"{row[measure]:.2f} ± {row[f'{measure}_high'] - row[measure]:.2f}"


def _image(law: str, number: int) -> str:
    return f"![Figure {number}, {law} rewards]({figure_name(law, number)}.png)"


def figure_name(law: str, number: int) -> str:
    """The name of a figure's files, without their ending."""
    return f"{law}-figure{number}"


def _bounds(table: pd.DataFrame) -> str:
    lines = [
        "| policy | measure | bound | kind | value | measured | says something from T = |",
        "|---" * 7 + "|",
    ]
    for row in table.to_dict("records"):
        start = row["informative_from"]
        lines.append(
            f"| {row['policy']} | {row['measure']} | {row['bound']} | {row['kind']} | "
            f"{row['value']:.1f} | {row['measured']:.1f} | "
            f"{'' if start != start else f'{start:,.0f}'} |"
        )
    return "\n".join(lines)


_READING = """## How to read the bounds

An *asymptotic slope* says how fast a quantity must grow with ln T in the end; at a finite T a
policy may well be below it, and modified Thompson sampling is. *Leading terms* leave out constants
that the paper does not state, so nothing can be checked against them. An *upper bound* holds for
every T and says something once it is below the trivial one. The printed proof of Theorem 3 takes
empirical means to be unbiased at exploration times; `kcmab bias` shows that they are not, and the
repaired bound does without."""


def html(text: str, folder: Path) -> str:
    """The report as one file that opens offline, figures included."""
    body = MarkdownIt("commonmark").enable("table").render(text)
    body = re.sub(r'src="([^"]+\.png)"', lambda match: _inline(folder / match[1]), body)
    title = text.partition("\n")[0].lstrip("# ")
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head>\n<body>\n{body}</body></html>\n"
    )


def _inline(path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return f'src="data:image/png;base64,{data}"'
