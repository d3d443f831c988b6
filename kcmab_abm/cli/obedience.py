"""The command `kcmab obedience`."""

from __future__ import annotations

from pathlib import Path

import click

from kcmab_abm.cli.options import (
    force_option,
    load_changed,
    option,
    required_out_option,
    scenario_options,
)
from kcmab_abm.cli.paper import write_table


@click.command()
@click.argument("file", type=str)
@option("--points", click.IntRange(2, 200), "Number of customers who are audited.", 20)
@scenario_options
@required_out_option
@force_option
def obedience(file: str, points: int, out: Path, force: bool, **changes: int | None) -> None:
    """Show what customers gain by following recommendations.

    For every arm that a policy recommends, the gain over the best other arm is shown by the number
    of the customer. If the file has a sweep, its points are the worlds that customers consider
    possible, all equally likely.

    \b
    Example:
      kcmab obedience scenarios/obey-or-not.toml --out obedience
    """
    from kcmab_abm.cli.tables import print_frame
    from kcmab_abm.figures.obedience import draw_obedience
    from kcmab_abm.paths.audit import obedience as audit
    from kcmab_abm.running.progress import progress_bar
    from kcmab_abm.running.results_folder import check_folder

    scenario = load_changed(file, changes)
    check_folder(out, force)
    with progress_bar("runs recorded (compiled on first use)") as show:
        table = audit(scenario, points, progress=show)
    last = table[table["customer"] == table["customer"].max()]
    print_frame(f"Gain from following the recommendation to customer {last.customer.max():,}", last)
    write_table(out, force, table, draw_obedience(table), scenario.settings)
