"""The paper's figures, numbers, claims and report as files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pandas as pd

from kcmab_abm.folders import MANIFEST, new_folder, versions, write_json
from kcmab_abm.paper.claims import FAMILY_ERROR, Finding
from kcmab_abm.paper.report import figure_name, html, markdown
from kcmab_abm.paper.study import PLOTS
from kcmab_abm.results import Results
from kcmab_abm.yardsticks import yardstick_table


def write_paper(
    results: dict[str, Results], findings: list[Finding], folder: Path, force: bool = False
) -> None:
    """Write everything into a new folder, or nothing."""
    with new_folder(folder, force) as stage:
        for law, each in results.items():
            _write_law(law, each, stage)
        claim_table(findings).to_csv(stage / "claims.csv", index=False)
        text = markdown(results, findings)
        (stage / "report.md").write_text(text, encoding="utf-8")
        (stage / "report.html").write_text(html(text, stage), encoding="utf-8")
        write_json(stage / MANIFEST, _manifest(results))


def _write_law(law: str, results: Results, folder: Path) -> None:
    # Late, because matplotlib takes half a second to import.
    from kcmab_abm.figures.curves import draw_paper_figure
    from kcmab_abm.figures.style import save

    curves = results.curves()
    results.summary().to_csv(folder / f"{law}-summary.csv", index=False)
    results.paired().to_csv(folder / f"{law}-paired.csv", index=False)
    yardstick_table(results).to_csv(folder / f"{law}-bounds.csv", index=False)
    for plot in PLOTS:
        name = figure_name(law, plot.number)
        title = f"Figure {plot.number}: {plot.title}, {law.capitalize()} rewards"
        shown = curves[curves["policy"].isin(plot.policies)]
        shown.to_csv(folder / f"{name}.csv", index=False)
        figure = draw_paper_figure(shown, list(plot.policies), title)
        save(figure, folder, name, ("png", "svg", "pdf"))


def claim_table(findings: list[Finding]) -> pd.DataFrame:
    """One row a claim and law: where the paper makes it, what was measured, the verdict."""
    return pd.DataFrame(
        [
            {
                "where": finding.claim.where,
                "claim": finding.claim.text,
                "law": finding.law,
                "advantage": finding.mean,
                "low": finding.low,
                "high": finding.high,
                "verdict": finding.verdict,
            }
            for finding in findings
        ]
    )


def _manifest(results: dict[str, Results]) -> dict[str, object]:
    digests = {law: each.digest() for law, each in results.items()}
    return {
        "digest": hashlib.sha256(repr(sorted(digests.items())).encode()).hexdigest(),
        "digests": digests,
        "scenario": {law: each.scenario.settings for law, each in results.items()},
        "seed": next(iter(results.values())).scenario.seed,
        "engine": {law: each.engine for law, each in results.items()},
        "family_error": FAMILY_ERROR,
        "versions": versions(),
    }
