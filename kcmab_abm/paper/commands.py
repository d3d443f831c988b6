"""The commands that set the simulator beside the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from kcmab_abm.errors import MarketError
from kcmab_abm.folders import check_folder, new_folder
from kcmab_abm.options import NumberRange
from kcmab_abm.scenario import Scenario, load_scenario

_OUT = click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Folder to write; a new one."
)
_FORCE = click.option("--force", is_flag=True, help="Replace results that are already there.")
_JOBS = click.option("--jobs", type=click.IntRange(1), help="Threads; one a core unless given.")
_SEED = click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=2018, show_default=True)


def _steady_scenario(file: str) -> Scenario:
    """A scenario whose arms stay as they are, which is what the theory speaks of."""
    scenario = load_scenario(file)
    if not scenario.market.is_steady:
        raise MarketError(
            f"{file}: market.change: the theory speaks of arms that do not change; take the "
            "change out of the file"
        )
    return scenario


@click.command()
@_OUT
@click.option("--runs", type=click.IntRange(2), default=1000, show_default=True)
@click.option("--horizon", type=click.IntRange(10), default=10_000, show_default=True)
@click.option("--law", type=click.Choice(["both", "bernoulli", "beta"]), default="both")
@click.option(
    "--concentration",
    type=NumberRange(0.1, 1e4),
    default=4.0,
    show_default=True,
    help="alpha + beta of the Beta rewards.",
)
@click.option("--quick", is_flag=True, help="For a class: 100 runs of 2 000 customers.")
@_SEED
@_JOBS
@_FORCE
def paper(
    out: Path,
    runs: int,
    horizon: int,
    law: str,
    concentration: float,
    quick: bool,
    seed: int,
    jobs: int | None,
    force: bool,
) -> None:
    """Rerun the paper's experiments and say claim by claim what holds.

    \b
    Example:
      kcmab paper --out paper-results
    """
    from kcmab_abm.experiment import choose_engine
    from kcmab_abm.paper.claims import judge
    from kcmab_abm.paper.study import LAWS, paper_scenario, run_study
    from kcmab_abm.paper.write import claim_table, write_paper
    from kcmab_abm.tables import print_frame, progress_bar

    check_folder(out, force)
    if quick:
        runs, horizon = min(runs, 100), min(horizon, 2000)
    laws = LAWS if law == "both" else (law,)
    scenarios = {each: paper_scenario(each, horizon, runs, seed, concentration) for each in laws}
    with progress_bar("preparing") as show:
        for choice in scenarios[laws[0]].policies:
            show(doing=f"preparing {choice.label} (compiled on first use)")
            choose_engine(scenarios[laws[0]], choice, "auto")
        show(doing="customers served")
        results = run_study(scenarios, jobs, show)
        findings = judge(results)
        show(doing="drawing")
        write_paper(results, findings, out, force)
    print_frame("The paper's claims", claim_table(findings))
    click.echo(f"Written to {out}: report.html, report.md, figures and the numbers behind them.")


@click.command()
@click.argument("file", type=str)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for table and figure.")
@_JOBS
@_FORCE
def bounds(file: str, out: Path | None, jobs: int | None, force: bool) -> None:
    """Print the paper's bounds beside a simulation of a scenario.

    \b
    Example:
      kcmab bounds scenarios/figure1.toml
    """
    from kcmab_abm.experiment import simulate
    from kcmab_abm.tables import print_frame, watched
    from kcmab_abm.yardsticks import yardstick_table

    scenario = _steady_scenario(file)
    if out is not None:
        check_folder(out, force)
    results = watched(simulate, scenario, "auto", jobs=jobs)
    table = yardstick_table(results)
    print_frame(f"Bounds at T = {scenario.horizon:,}", table)
    click.echo(
        "A slope is asymptotic and no floor at this T; leading terms lack their constants; "
        "only an upper bound can be respected or not."
    )
    if out is not None:
        from kcmab_abm.figures.bounds import draw_bounds

        _write(out, force, table, draw_bounds(results), scenario.settings)


@click.command()
@click.option("--mu", type=NumberRange(0, 1), default=0.9, show_default=True)
@click.option("--horizon", type=click.IntRange(1, 100_000), default=4000, show_default=True)
@click.option(
    "--shown",
    type=click.IntRange(2),
    default=400,
    show_default=True,
    help="Rewards shown in the lattice.",
)
@_OUT
@_FORCE
def stopping(mu: float, horizon: int, shown: int, out: Path, force: bool) -> None:
    """Solve the stopping problem of the lower bound's proof and draw its boundary.

    \b
    Example:
      kcmab stopping --mu 0.9 --out stopping
    """
    import pandas as pd

    from kcmab_abm.figures.stopping import draw_boundary
    from kcmab_abm.theory.stopping import stopping_floor, stopping_rule, stopping_value

    check_folder(out, force)
    value = stopping_value(mu, horizon)
    click.echo(
        f"DP({mu:g}, {horizon}) = {value:.6f}; proved floor {stopping_floor(mu):.6f}; "
        f"mu/2 = {mu / 2:.6f}"
    )
    rule = stopping_rule(mu, horizon)
    table = pd.DataFrame({"rewards": range(1, horizon + 1), "stop_at_ones": rule})
    _write(out, force, table, draw_boundary(mu, horizon, shown), {"mu": mu, "horizon": horizon})


@click.command()
@click.argument("file", type=str)
@click.option("--arm", type=click.IntRange(0), help="Arm i; the second best unless given.")
@click.option("--pulls", type=click.IntRange(2), default=50, show_default=True)
@_OUT
@_FORCE
def histories(file: str, arm: int | None, pulls: int, out: Path, force: bool) -> None:
    """Show what customers see of arm 1 when another arm is pulled, policy by policy.

    \b
    Example:
      kcmab histories scenarios/figure1.toml --out histories
    """
    from kcmab_abm.figures.histories import draw_histories
    from kcmab_abm.paper.evidence import histories as measure
    from kcmab_abm.tables import progress_bar

    scenario = _steady_scenario(file)
    means = scenario.market.means
    others = [place for place in range(len(means)) if place != np.argmax(means)]
    if not others or (arm is not None and arm not in others):
        raise MarketError(f"{file}: --arm must be an arm other than the best: {others}, got {arm}")
    check_folder(out, force)
    with progress_bar("runs recorded") as show:
        table = measure(scenario, arm, pulls, show)
    _write(out, force, table, draw_histories(table), scenario.settings)


@click.command()
@click.argument("file", type=str)
@_OUT
@_FORCE
def bias(file: str, out: Path, force: bool) -> None:
    """Show how far adaptive pulls bias empirical means downwards, policy by policy.

    \b
    Example:
      kcmab bias scenarios/figure1.toml --out bias
    """
    from kcmab_abm.figures.histories import draw_biases
    from kcmab_abm.paper.evidence import biases
    from kcmab_abm.tables import progress_bar

    scenario = _steady_scenario(file)
    if len(scenario.market.arms) < 2:
        raise MarketError(f"{file}: market.arms: must be 2 arms or more, got 1")
    check_folder(out, force)
    with progress_bar("runs recorded") as show:
        table = biases(scenario, progress=show)
    _write(out, force, table, draw_biases(table), scenario.settings)


def _write(out: Path, force: bool, table: Any, figure: Any, settings: Any) -> None:
    """A table, a figure and what they were made from."""
    from kcmab_abm.figures.style import save
    from kcmab_abm.folders import MANIFEST, versions, write_json

    with new_folder(out, force) as stage:
        table.to_csv(stage / "table.csv", index=False)
        save(figure, stage, "figure")
        write_json(stage / MANIFEST, {"scenario": settings, "versions": versions()})
    click.echo(f"Written to {out}: table.csv, figure.png, figure.svg.")
