"""The command `kcmab fit`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kcmab_abm.cli.options import NumberRange, force_option, option, with_option
from kcmab_abm.errors import MarketError

if TYPE_CHECKING:
    from kcmab_abm.fitting.fits import Fits


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--behaviour",
    "behaviours",
    multiple=True,
    default=("logit",),
    show_default=True,
    metavar="NAME|TABLE",
    help="Behaviour to fit, or a table as in a scenario file, whose settings are fixed; several "
    "are compared.",
)
@option("--policy", str, "Use only the choices under this policy (default: all).")
@option("--replications", click.IntRange(1), "Use only so many replications, the first ones.")
@option("--confidence", NumberRange(0, 1, True, True), "Level of the intervals.", 0.95)
@click.option(
    "--write",
    metavar="FILE.toml",
    type=click.Path(path_type=Path),
    help="Write a scenario whose customers are the fitted ones; of several, those with the lowest "
    "AIC.",
)
@force_option
@with_option
def fit(
    folder: Path,
    behaviours: tuple[str, ...],
    policy: str | None,
    replications: int | None,
    confidence: float,
    write: Path | None,
    force: bool,
) -> None:
    """Estimate which customers made the choices in a ledger.

    FOLDER was written by `kcmab run --out` with record = "paths" in the scenario.

    \b
    Example:
      kcmab fit results --behaviour logit --behaviour optimism --write fitted.toml
      kcmab fit results --behaviour '{ behaviour = "recency", discount = 1.0 }'
    """
    from kcmab_abm.fitting.choices import fit as fit_choices
    from kcmab_abm.running.progress import progress_bar
    from kcmab_abm.running.results_folder import check_file

    if force and write is None:
        raise MarketError("--force: is for --write FILE.toml; give that too")
    if write is not None:
        check_file(write, force)
    tables = [_table(text) for text in behaviours]
    chosen = None if replications is None else range(replications)
    with progress_bar("reading choices") as show:
        found = fit_choices(
            folder,
            tables,
            policy=policy,
            replications=chosen,
            confidence=confidence,
            progress=show,
        )
    _print(found)
    if write is not None:
        found.best.write(write, force=force)
        click.echo(f"Written to {write}: {found.best.behaviour} customers.")


def _table(text: str) -> Any:
    """A behaviour as given on the command line: a name, or a table in TOML."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        return tomllib.loads(f"table = {text}")["table"]
    except tomllib.TOMLDecodeError as error:
        raise MarketError(
            f"--behaviour: {text!r} is not a table in TOML ({error}); write it as in a scenario "
            'file, such as { behaviour = "recency", window = 50 }'
        ) from error


def _print(found: Fits) -> None:
    # Late, because pandas takes a while to import.
    import pandas as pd

    from kcmab_abm.cli.tables import print_frame

    level = f"{100.0 * found.best.confidence:.6g} % interval"
    rows = [
        (each.behaviour, word, one.value, f"[{one.low:.4g}, {one.high:.4g}]")
        for each in found
        for word, one in each.estimates.items()
    ]
    if rows:
        columns = ["behaviour", "parameter", "estimate", level]
        title = f"Estimates from {found.best.choices:,} choices"
        print_frame(title, pd.DataFrame(rows, columns=columns), places=4)
    print_frame("Likelihood, the best behaviour first", found.table())
    notes = dict.fromkeys(f"{each.behaviour}: {note}" for each in found for note in each.notes)
    for note in notes:
        click.echo(note)
