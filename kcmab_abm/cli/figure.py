"""The command `kcmab figure`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from kcmab_abm.cli.options import force_option, option, with_option
from kcmab_abm.errors import MarketError, OutputError

FORMATS = ("pdf", "svg", "png")
DOTS = 300  # per inch, in PNG files


@click.command()
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Write the figure to this file, whose name ends in {', '.join(FORMATS)}.",
)
@option(
    "--show",
    click.Choice(["costs", "curves", "frontier"]),
    "What to draw: costs (of a sweep against a setting), costs along the run, or regret against "
    "compensation.",
    "costs",
)
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="Draw this measure.")
@click.option("--across", metavar="SETTING", help="Of a sweep, the setting to draw costs against.")
@click.option(
    "--by", multiple=True, metavar="SETTING", help="Settings whose values have panels (frontier)."
)
@click.option(
    "--at", "held", multiple=True, metavar="SETTING=VALUE", help="Hold a setting at one value."
)
@option("--width", str, "Width: column, page or a number of inches (default: column).")
@option("--font-size", float, "Size of letters in points (default: 7, for slides 18).")
@option(
    "--style",
    click.Choice(["journal", "slides"]),
    "A journal's figures have no title; slides have the scenario's and are 16:9.",
    "journal",
)
@option("--files", click.Path(path_type=Path), "The folder of files that the scenario reads.")
@with_option
@force_option
def figure(
    folder: Path,
    out: Path,
    show: str,
    measures: tuple[str, ...],
    across: str | None,
    by: tuple[str, ...],
    held: tuple[str, ...],
    files: Path | None,
    force: bool,
    **size: Any,
) -> None:
    """Draw results of `kcmab run` for a journal or for slides.

    Settings are named by their paths or the last words of these, such as tau.

    \b
    Example:
      kcmab figure results --out figure.pdf --width page
    """
    from kcmab_abm.running.load_results import load_results
    from kcmab_abm.running.results_folder import check_file, new_file

    ending = out.suffix[1:].lower()
    if ending not in FORMATS:
        raise OutputError(f"{out}: the name must end in .{', .'.join(FORMATS)}, got {out.name!r}")
    check_file(out, force)
    results = load_results(folder, files=files)
    at = dict(map(_setting, held)) or None
    if show == "frontier":
        _refuse(show, measure=measures, across=across)
        drawn = results.frontier(by=by or None, at=at, **size)
    elif show == "curves":
        _refuse(show, across=across, by=by)
        drawn = results.curves_figure(measures=measures, at=at, **size)
    else:
        _refuse(show, by=by)
        drawn = results.figure(measures=measures, across=across, at=at, **size)
    with new_file(out, force) as file:
        drawn.savefig(file, format=ending, dpi=DOTS)
    click.echo(f"Written to {out}.")


def _setting(text: str) -> tuple[str, Any]:
    """A setting and its value, as in a scenario file; without quotes it may be a label."""
    name, _, value = text.partition("=")
    if not name.strip() or not value.strip():
        raise MarketError(f"--at: must be SETTING=VALUE, such as tau=0.1, got {text!r}")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


def _refuse(show: str, **given: Any) -> None:
    """Refuse options that would have no effect."""
    for word, value in given.items():
        if value:
            raise MarketError(f"--{word}: has no effect on --show {show}; leave it out")
