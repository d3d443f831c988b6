"""The report on the paper's claims, as Markdown."""

from __future__ import annotations

import pandas as pd

from kcmab_abm.paper.claims import SLIGHTLY
from kcmab_abm.paper.study import PLOTS
from kcmab_abm.paper.verdicts import FAMILY_ERROR, Finding, Judgement
from kcmab_abm.results.results import Results
from kcmab_abm.running.html_page import table_lines
from kcmab_abm.theory.applicable import yardstick_table

TITLE = "Multi-armed bandits with compensation: the experiments, rerun"


def markdown(results: dict[str, Results], judgements: list[Judgement]) -> str:
    """The whole report."""
    first = next(iter(results.values()))
    scenario = first.scenario
    sections = [
        f"# {TITLE}",
        f"Nine arms with means 0.9, 0.8, ..., 0.1; {scenario.horizon:,} greedy customers per run; "
        f"{scenario.replications:,} runs; seed {scenario.seed}. Within a run, all policies meet "
        "the same rewards, so they are compared run by run.",
        _verdicts(judgements, list(results), scenario.replications),
        *(_law_section(law, each) for law, each in results.items()),
        _READING,
    ]
    return "\n\n".join(sections) + "\n"


def _verdicts(judgements: list[Judgement], laws: list[str], runs: int) -> str:
    rows = []
    for start in range(0, len(judgements), len(laws)):
        group = judgements[start : start + len(laws)]
        claim = group[0].first.claim
        rows.append([claim.where, claim.text, *map(_cell, group)])
    return "\n".join(
        [
            "## Claims and verdicts",
            "",
            "Each claim is restated as a quantity that it predicts to be positive on average. The "
            f"table gives the mean of this quantity over {runs:,} runs with its interval. A claim "
            "holds if its interval lies above 0, does not hold if it lies below, and is "
            "inconclusive otherwise; it is then continued with more runs until it is decided or "
            "a ceiling is reached. A mean at which a claim was only just decided is on average too "
            "far from 0: its sign is the finding, not its size.",
            "",
            f"All {len(judgements)} verdicts are right simultaneously with a probability of about "
            f"{1 - FAMILY_ERROR:.0%}: the intervals are corrected for their number (Bonferroni), "
            "are valid however many runs had been made when they were looked at, and allow for "
            "runs that lock in, even if none was seen. "
            f"'Slightly larger' is taken to mean at most {SLIGHTLY:g} times as large; the ratio is "
            "given with its interval. A measurement below a bound does not prove the bound.",
            "",
            *table_lines(["where", "claim", *map(str.capitalize, laws)], rows),
        ]
    )


def _cell(judgement: Judgement) -> str:
    """The findings on a claim under one law."""
    first, decided = judgement.first, judgement.decided
    if decided is None:
        return _finding(first)
    return f"{_finding(first)}; with {decided.runs:,} runs {_finding(decided)}"


def _finding(finding: Finding) -> str:
    mean, low, high = finding.ratio or (finding.mean, finding.low, finding.high)
    name = "ratio " if finding.ratio else ""
    return f"**{finding.verdict}**: {name}{mean:.2f} in [{low:.2f}, {high:.2f}]"


def _law_section(law: str, results: Results) -> str:
    columns = ["policy", "regret", "compensation", "median regret", "locked in", "acceptance"]
    intervals = results.lock_in().to_dict("records")
    rows = [
        [
            row["policy"],
            f"{row['regret']:.2f} in [{interval['regret_low']:.2f}, {interval['regret_high']:.2f}]",
            _with_error(row, "compensation"),
            f"{row['regret_median']:.1f}",
            f"{row['locked_in']:.1%} ({interval['locked_in_runs']:,})",
            f"{row['acceptance']:.1%}",
        ]
        for row, interval in zip(results.summary().to_dict("records"), intervals, strict=True)
    ]
    lines = [f"## {law.capitalize()} rewards", "", *table_lines(columns, rows)]
    lines += [
        "",
        "Means over all runs with 95% intervals. *Locked in*: the share of runs (and their number) "
        "that settle on a wrong arm. Such runs cost so much that the interval of regret allows for "
        "one that was not seen. The figures have Student's intervals, which do not. *Acceptance*: "
        "the share of customers, after the seeding, who take the arm that the policy promotes.",
        "",
    ]
    for plot in PLOTS:
        caption = f"Figure {plot.number}, {law.capitalize()} rewards"
        image = f"![{caption}]({figure_name(law, plot.number)}.png)"
        lines += [f"### Figure {plot.number}: {plot.title}", "", image, ""]
    lines += ["### Bounds and measurements", "", *_bounds(yardstick_table(results))]
    return "\n".join(lines)


def _with_error(row: dict, measure: str) -> str:  # type: ignore[type-arg]
    return f"{row[measure]:.2f} ± {row[f'{measure}_high'] - row[measure]:.2f}"


def figure_name(law: str, number: int) -> str:
    """The name of a figure's files, without extension."""
    return f"{law}-figure{number}"


def _bounds(table: pd.DataFrame) -> list[str]:
    columns = ["policy", "measure", "bound", "kind", "value", "measured", "informative from T ="]
    rows = []
    for row in table.to_dict("records"):
        start = row["informative_from"]
        numbers = [f"{row['value']:.1f}", f"{row['measured']:.1f}"]
        numbers.append("" if start != start else f"{start:,.0f}")
        rows.append([*(row[column] for column in columns[:4]), *numbers])
    return table_lines(columns, rows)


_READING = """## How to read the bounds

An *asymptotic slope* is the rate at which a quantity must eventually grow with ln T. At a finite T
a policy may lie well below it. *Leading terms* omit constants that the paper does not state, so no
measurement can contradict them. An *upper bound* holds for every T, and is informative once it
falls below the trivial bound: the largest gap (for compensation, the best mean) for every customer.
The printed proof of Theorem 3 assumes that empirical means are unbiased at exploration times;
`kcmab bias` shows that they are not. The repaired bound does not need this assumption."""
