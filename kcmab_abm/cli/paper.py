"""The commands that compare the simulator with the paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kcmab_abm.cli.options import (
    NumberRange,
    force_option,
    jobs_option,
    load_changed,
    option,
    out_option,
    required_out_option,
    scenario_options,
)
from kcmab_abm.errors import MarketError
from kcmab_abm.running.results_folder import check_folder, new_folder

if TYPE_CHECKING:
    from kcmab_abm.scenario.scenario import Scenario


def _steady_scenario(file: str, changes: dict[str, Any]) -> Scenario:
    """Load a scenario whose arms do not change, as the theory assumes."""
    scenario: Scenario = load_changed(file, changes)
    if not scenario.market.is_steady:
        raise MarketError(
            f"{file}: market.change: the theory assumes arms that do not change; remove the "
            "change from the file"
        )
    return scenario


@click.command()
@required_out_option
@option("--replications", click.IntRange(2), "Number of replications.", 1000)
@option("--horizon", click.IntRange(10), "Number of customers per replication.", 10_000)
@option("--law", click.Choice(["both", "bernoulli", "beta"]), "Reward distribution.", "both")
@option("--concentration", NumberRange(0.1, 1e4), "alpha + beta of the Beta distribution.", 4.0)
@option(
    "--ceiling",
    click.IntRange(2),
    "Largest number of replications to decide a claim (default: 10 times --replications).",
)
@click.option("--quick", is_flag=True, help="At most 100 replications of 2 000 customers.")
@option("--seed", click.IntRange(0), "Seed of the random numbers.", 2018)
@jobs_option
@force_option
def paper(
    out: Path,
    replications: int,
    horizon: int,
    law: str,
    concentration: float,
    ceiling: int | None,
    quick: bool,
    seed: int,
    jobs: int | None,
    force: bool,
) -> None:
    """Repeat the paper's experiments and check its claims.

    Inconclusive claims get more replications until they are decided or the ceiling is reached, but
    not with --quick or if the ceiling equals --replications.

    \b
    Example:
      kcmab paper --out paper-results
    """
    from kcmab_abm.cli.tables import print_frame
    from kcmab_abm.paper.study import LAWS, paper_scenario, run_study
    from kcmab_abm.paper.verdicts import judge
    from kcmab_abm.paper.write import claim_table, write_paper
    from kcmab_abm.running.engine_choice import choose_engine
    from kcmab_abm.running.progress import progress_bar
    from kcmab_abm.running.shared_runs import SharedRuns
    from kcmab_abm.scenario.fields import LARGEST_REPLICATIONS

    check_folder(out, force)
    if quick:
        replications, horizon = min(replications, 100), min(horizon, 2000)
    if ceiling is None:
        ceiling = replications if quick else min(10 * replications, LARGEST_REPLICATIONS)
    if ceiling < replications:
        raise MarketError(f"--ceiling: must be >= --replications ({replications}), got {ceiling}")
    laws = LAWS if law == "both" else (law,)
    scenarios = {
        each: paper_scenario(each, horizon, replications, seed, concentration) for each in laws
    }
    with progress_bar("preparing") as show:
        for choice in scenarios[laws[0]].policies:
            show(doing=f"preparing {choice.label} (compiled on first use)")
            choose_engine(scenarios[laws[0]], choice, "auto")
        show(doing="customers served")
        shared = {each: SharedRuns() for each in laws}
        results = run_study(scenarios, jobs, show, shared)
        show(doing="deciding claims")
        judgements = judge(results, ceiling, jobs, show, shared)
        show(doing="drawing")
        write_paper(results, judgements, out, force)
    table = claim_table(judgements).drop(columns=["ratio", "ratio_low", "ratio_high"])
    print_frame("The paper's claims", table)
    click.echo(f"Written to {out}: report.html, report.md, figures and the numbers behind them.")


@click.command()
@click.argument("file", type=str)
@scenario_options
@out_option
@jobs_option
@force_option
def bounds(
    file: str, out: Path | None, jobs: int | None, force: bool, **changes: int | None
) -> None:
    """Compare the paper's bounds with a simulation of a scenario.

    A bound is shown only if all that it assumes holds in the scenario; otherwise the premise that
    fails is named.

    \b
    Example:
      kcmab bounds scenarios/figure1.toml
    """
    from kcmab_abm.cli.tables import print_frame, watched
    from kcmab_abm.running.options import RunOptions
    from kcmab_abm.running.with_options import simulate_with
    from kcmab_abm.theory.applicable import withheld_in_words, yardstick_table, yardsticks

    scenario = load_changed(file, changes)
    missing = withheld_in_words(scenario)
    if not any(yardsticks(scenario)):
        raise MarketError("\n".join(f"{file}: {line}" for line in missing))
    if out is not None:
        check_folder(out, force)
    results = watched(simulate_with, scenario, RunOptions(jobs=jobs))
    table = yardstick_table(results)
    print_frame(f"Bounds at T = {scenario.horizon:,}", table)
    click.echo(
        "An asymptotic slope is not a lower bound at this T, and leading terms omit constants; "
        "only upper bounds can be checked."
    )
    for line in missing:
        click.echo(line[0].upper() + line[1:] + ".")
    if out is not None:
        from kcmab_abm.figures.bounds import draw_bounds

        write_table(out, force, table, draw_bounds(results), scenario.settings)


@click.command()
@option("--mu", NumberRange(0, 1), "Mean of the best arm.", 0.9)
@option("--horizon", click.IntRange(1, 100_000), "Number of customers.", 4000)
@option("--shown", click.IntRange(2), "Number of rewards shown in the figure.", 400)
@required_out_option
@force_option
def stopping(mu: float, horizon: int, shown: int, out: Path, force: bool) -> None:
    """Solve the stopping problem behind the lower bound.

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
    write_table(
        out, force, table, draw_boundary(mu, horizon, shown), {"mu": mu, "horizon": horizon}
    )


@click.command()
@click.argument("file", type=str)
@option("--arm", click.IntRange(0), "The other arm (default: the second best).")
@option("--pulls", click.IntRange(2), "Number of pulls of the other arm.", 50)
@scenario_options
@required_out_option
@force_option
def histories(
    file: str, arm: int | None, pulls: int, out: Path, force: bool, **changes: int | None
) -> None:
    """Show the best arm's mean when another arm is pulled.

    The empirical mean is shown at every pull of the other arm, for each policy.

    \b
    Example:
      kcmab histories scenarios/figure1.toml --out histories
    """
    from kcmab_abm.figures.histories import draw_histories
    from kcmab_abm.paper.evidence import histories as measure
    from kcmab_abm.running.progress import progress_bar

    scenario = _steady_scenario(file, changes)
    means = scenario.market.means
    others = [place for place in range(len(means)) if place != means.argmax()]
    if not others or (arm is not None and arm not in others):
        raise MarketError(f"{file}: --arm must be an arm other than the best: {others}, got {arm}")
    check_folder(out, force)
    with progress_bar("runs recorded") as show:
        table = measure(scenario, arm, pulls, show)
    write_table(out, force, table, draw_histories(table), scenario.settings)


@click.command()
@click.argument("file", type=str)
@scenario_options
@required_out_option
@force_option
def bias(file: str, out: Path, force: bool, **changes: int | None) -> None:
    """Show the bias of empirical means, for each policy.

    Arms that look bad are pulled less often, so their means stay too low.

    \b
    Example:
      kcmab bias scenarios/figure1.toml --out bias
    """
    from kcmab_abm.figures.histories import draw_biases
    from kcmab_abm.paper.evidence import biases
    from kcmab_abm.running.progress import progress_bar

    scenario = _steady_scenario(file, changes)
    if len(scenario.market.arms) < 2:
        raise MarketError(f"{file}: market.arms: must be at least 2 arms, got 1")
    check_folder(out, force)
    with progress_bar("runs recorded") as show:
        table = biases(scenario, progress=show)
    write_table(out, force, table, draw_biases(table), scenario.settings)


def write_table(out: Path, force: bool, table: Any, figure: Any, settings: Any) -> None:
    """Write a table, a figure and a manifest into a new folder."""
    from kcmab_abm.figures.style import save
    from kcmab_abm.running.manifest import write_manifest

    with new_folder(out, force) as stage:
        table.to_csv(stage / "table.csv", index=False)
        save(figure, stage, "figure")
        write_manifest(stage, {"scenario": settings})
    click.echo(f"Written to {out}: table.csv, figure.png, figure.svg.")
