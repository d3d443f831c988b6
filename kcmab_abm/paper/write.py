"""Write the paper's figures, numbers, claims and report to files."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import pandas as pd

from kcmab_abm.paper.report import TITLE, figure_name, markdown
from kcmab_abm.paper.study import PLOTS
from kcmab_abm.paper.verdicts import FAMILY_ERROR, Judgement
from kcmab_abm.results.results import Results
from kcmab_abm.running.html_page import html_page
from kcmab_abm.running.manifest import write_manifest
from kcmab_abm.running.results_folder import new_folder
from kcmab_abm.theory.applicable import yardstick_table


def write_paper(
    results: dict[str, Results], judgements: list[Judgement], folder: Path, force: bool = False
) -> None:
    """Write everything to a new folder; leave nothing behind on failure."""
    with new_folder(folder, force) as stage:
        for law, each in results.items():
            _write_law(law, each, stage)
        claim_table(judgements).to_csv(stage / "claims.csv", index=False)
        text = markdown(results, judgements)
        (stage / "report.md").write_text(text, encoding="utf-8")
        page = html_page(text, TITLE, stage)
        (stage / "report.html").write_text(page, encoding="utf-8")
        write_manifest(stage, _manifest(results))


def _write_law(law: str, results: Results, folder: Path) -> None:
    # Late, because importing matplotlib is slow.
    from kcmab_abm.figures.curves import draw_paper_figure
    from kcmab_abm.figures.style import save

    curves = results.curves()
    results.summary().to_csv(folder / f"{law}-summary.csv", index=False)
    results.lock_in().to_csv(folder / f"{law}-lock-in.csv", index=False)
    results.paired().to_csv(folder / f"{law}-paired.csv", index=False)
    yardstick_table(results).to_csv(folder / f"{law}-bounds.csv", index=False)
    for plot in PLOTS:
        name = figure_name(law, plot.number)
        title = f"Figure {plot.number}: {plot.title}, {law.capitalize()} rewards"
        shown = curves[curves["policy"].isin(plot.policies)]
        shown.to_csv(folder / f"{name}.csv", index=False)
        figure = draw_paper_figure(shown, list(plot.policies), title)
        save(figure, folder, name, ("png", "svg", "pdf"))


def claim_table(judgements: list[Judgement]) -> pd.DataFrame:
    """One row per claim and law, and another if more runs were made to decide it.

    `ratio` is that of the two means, where a claim is about a factor.
    """
    findings = [each for pair in judgements for each in (pair.first, pair.decided) if each]
    rows = []
    for finding in findings:
        ratio = finding.ratio or (math.nan,) * 3
        rows.append(
            {
                "where": finding.claim.where,
                "claim": finding.claim.text,
                "law": finding.law,
                "runs": finding.runs,
                "advantage": finding.mean,
                "low": finding.low,
                "high": finding.high,
                **dict(zip(("ratio", "ratio_low", "ratio_high"), ratio, strict=True)),
                "verdict": finding.verdict,
            }
        )
    return pd.DataFrame(rows)


def _manifest(results: dict[str, Results]) -> dict[str, object]:
    digests = {law: each.digest() for law, each in results.items()}
    return {
        "digest": hashlib.sha256(repr(sorted(digests.items())).encode()).hexdigest(),
        "digests": digests,
        "scenario": {law: each.scenario.settings for law, each in results.items()},
        "seed": next(iter(results.values())).scenario.seed,
        "engine": {law: each.engine for law, each in results.items()},
        "family_error": FAMILY_ERROR,
    }
