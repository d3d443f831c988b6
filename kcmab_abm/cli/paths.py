"""The command `kcmab paths`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kcmab_abm.cli.options import (
    NumberRange,
    force_option,
    option,
    out_option,
    policy_option,
    scenario_options,
)

if TYPE_CHECKING:
    import pandas as pd

    from kcmab_abm.paths.findings import Paths

MOST_DEPTH = 50  # a tree keeps a node for every step of every distinct path
MOST_PULLS = 500  # a lattice has half the square of this many points


@click.command()
@click.argument("source", type=str)
@policy_option
@scenario_options
@option(
    "--depth", click.IntRange(1, MOST_DEPTH), "Number of customers along a path of the tree.", 5
)
@option(
    "--share", NumberRange(0, 1), "Prune paths taken by a smaller share of the replications.", 0.01
)
@option("--arm", click.IntRange(0), "Arm of the lattice (default: the best).")
@option("--pulls", click.IntRange(1, MOST_PULLS), "Number of pulls shown in the lattice.", 30)
@click.option("--seeding", is_flag=True, help="Include the customers sent to each arm once.")
@out_option
@force_option
def paths(
    source: str,
    policy: str | None,
    depth: int,
    share: float,
    arm: int | None,
    pulls: int,
    seeding: bool,
    out: Path | None,
    force: bool,
    **changes: int | None,
) -> None:
    """Show the sequences of arms that customers take.

    SOURCE is a scenario file, or a folder written by `kcmab run --out`, whose runs are replayed.

    \b
    Example:
      kcmab paths scenarios/figure1.toml --policy ucb --replications 200 --out paths
    """
    from kcmab_abm.paths.findings import find_paths
    from kcmab_abm.paths.write import write_paths
    from kcmab_abm.running.progress import progress_bar
    from kcmab_abm.running.results_folder import check_folder
    from kcmab_abm.running.source import open_scenario

    scenario = open_scenario(source, **changes)
    if out is not None:
        check_folder(out, force)
    with progress_bar("runs replayed (compiled on first use)") as show:
        found = find_paths(
            scenario,
            policy,
            depth=depth,
            share=share,
            seeding=seeding,
            arm=arm,
            pulls=pulls,
            progress=show,
        )
        if out is not None:
            show(doing="drawing")
            write_paths(found, out, force)
    _print(found)
    if out is not None:
        click.echo(f"Written to {out}: {', '.join(found.graphs)} as graphs and figures, paths.csv.")


def _print(found: Paths) -> None:
    from kcmab_abm.paths.rankings import expensive, locking, ranked_depth, switch_table, travelled

    tree, depth = found.tree, ranked_depth(found.tree)
    start = "" if tree.graph["seeding"] else ", once every arm has a report"
    steps = f"{found.policy}, {depth} customer{'s'[: depth != 1]}{start}"
    switches = switch_table(found.switching)
    _print_table(f"Most travelled paths: {steps}", travelled(tree))
    _print_table(f"Most expensive paths: {steps}", expensive(tree))
    _print_table(f"Paths to a lock-in: {steps}", locking(tree))
    _print_table(
        f"Most expensive switches: {found.policy}", switches[switches["payments"] > 0.0].head(10)
    )
    if found.lattice is None:
        click.echo("No lattice of ones and zeros: the best arm's rewards are not 0 or 1.")


def _print_table(title: str, table: pd.DataFrame) -> None:
    """Print a table with shares in percent, or a single line if it is empty."""
    from kcmab_abm.cli.tables import print_frame

    if table.empty:
        click.echo(f"{title}: none")
        return
    shares = [column for column in ("share", "locked_in") if column in table]
    words = {each: [f"{share:.1%}" for share in table[each]] for each in shares}
    print_frame(title, table.assign(**words))
