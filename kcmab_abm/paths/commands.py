"""The command that shows which paths runs took."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kcmab_abm.options import NumberRange, with_option

if TYPE_CHECKING:
    import pandas as pd

    from kcmab_abm.paths.findings import Paths

MOST_DEPTH = 50  # a tree keeps a node for each step of each run that goes its own way
MOST_PULLS = 500  # a lattice has half of the square of this many points


@click.command()
@click.argument("source", type=str)
@click.option("--policy", help="Label or name of the policy; the first one unless given.")
@click.option("--replications", type=click.IntRange(1), help="Instead of the scenario's.")
@click.option(
    "--customers", type=click.IntRange(1), help="Customers a run, instead of the scenario's."
)
@click.option(
    "--depth",
    type=click.IntRange(1, MOST_DEPTH),
    default=5,
    show_default=True,
    help="Customers in the tree.",
)
@click.option(
    "--share",
    type=NumberRange(0, 1),
    default=0.01,
    show_default=True,
    help="Paths of a smaller share of the runs are pruned from the tree.",
)
@click.option("--arm", type=click.IntRange(0), help="Arm of the lattice; the best unless given.")
@click.option(
    "--pulls",
    type=click.IntRange(1, MOST_PULLS),
    default=30,
    show_default=True,
    help="Pulls of the arm in the lattice.",
)
@click.option("--seeding", is_flag=True, help="Begin with the customers sent to every arm once.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write; a new one.")
@click.option("--force", is_flag=True, help="Replace results that are already there.")
@with_option
def paths(
    source: str,
    policy: str | None,
    replications: int | None,
    customers: int | None,
    depth: int,
    share: float,
    arm: int | None,
    pulls: int,
    seeding: bool,
    out: Path | None,
    force: bool,
) -> None:
    """Show which arms runs take one after another, what it costs, and where they end.

    SOURCE is a scenario file, or a folder that `kcmab run --out` wrote: its runs are replayed.

    \b
    Example:
      kcmab paths scenarios/figure1.toml --policy ucb --replications 200 --out paths
    """
    from kcmab_abm.folders import check_folder
    from kcmab_abm.paths.findings import find_paths
    from kcmab_abm.paths.source import open_scenario
    from kcmab_abm.paths.write import write_paths
    from kcmab_abm.tables import progress_bar

    scenario = open_scenario(source, horizon=customers, replications=replications)
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
    """A table with its shares in percent, or a line if there is nothing in it."""
    from kcmab_abm.tables import print_frame

    if table.empty:
        click.echo(f"{title}: none")
        return
    shares = [column for column in ("share", "locked_in") if column in table]
    words = {each: [f"{share:.1%}" for share in table[each]] for each in shares}
    print_frame(title, table.assign(**words))
