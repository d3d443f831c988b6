"""The command `kcmab class`."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kcmab_abm.cli.lab import check_token
from kcmab_abm.cli.options import NumberRange, horizon_option, load_changed, option, seed_option
from kcmab_abm.errors import MarketError

if TYPE_CHECKING:
    from kcmab_abm.scenario.scenario import Scenario


@click.command(name="class")
@click.argument("files", nargs=-1, metavar="[SCENARIO]...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Record the class in this folder, or go on with the class in it (default: class- and "
    "today's date).",
)
@option("--rooms", click.IntRange(1, 20), "Number of markets that play side by side.", 1)
@option("--seconds", NumberRange(3, 600), "Time that a guest has to choose.", 20)
@click.option("--names", is_flag=True, help="Ask students for their names, and record them.")
@horizon_option
@seed_option
@option(
    "--port",
    click.IntRange(1, 65535),
    "Port of the server (default: the first free port from 8080).",
)
@click.option(
    "--host",
    default="0.0.0.0",
    show_default=True,
    help="Address to listen on; the default lets phones in the same network in.",
)
@click.option("--address", help="Address that phones type (default: found automatically).")
@click.option("--token", help="Token of the teacher's screen (default: a random one).")
@click.option("--no-browser", is_flag=True, help="Do not open a browser window.")
def class_command(
    files: tuple[str, ...],
    out: Path | None,
    rooms: int,
    seconds: float,
    names: bool,
    horizon: int | None,
    seed: int | None,
    port: int | None,
    host: str,
    address: str | None,
    token: str | None,
    no_browser: bool,
) -> None:
    """Let a class play a market on its phones.

    Opens the teacher's screen, with an address and a room code for phones in the same network.
    SCENARIO is the market to play; further ones can be chosen on the teacher's screen.

    \b
    Example:
      kcmab class
      kcmab class scenarios/unlucky-start.toml --horizon 80 --out monday
    """
    check_token(token)
    try:
        # Late, because the web framework takes a second to import and may be missing.
        from kcmab_abm.lab.classroom.class_server import ClassOptions, serve_class
        from kcmab_abm.lab.model.classroom.board import check_for_class
        from kcmab_abm.lab.model.classroom.market_of_class import default_scenario
        from kcmab_abm.lab.model.classroom.plan import Plan
    except ModuleNotFoundError as error:
        raise MarketError(
            f'a class needs {error.name}, which is not installed; pip install "kcmab-abm[lab]"'
        ) from None
    scenarios: dict[str, Scenario] = {}
    for file in files:
        scenarios[file] = load_changed(file, {"horizon": horizon, "seed": seed})
        check_for_class(scenarios[file], f"{file}: ")
    if not files:
        scenarios["three restaurants"] = default_scenario(horizon, seed)
    plan = Plan(next(iter(scenarios.values())), rooms, seconds, names)
    folder = out or Path(f"class-{date.today():%Y-%m-%d}")
    options = ClassOptions(host, port, address or "", token or "", not no_browser)
    serve_class(plan, scenarios, folder, options)
