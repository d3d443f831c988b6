"""The command `kcmab lab`."""

from __future__ import annotations

import re
from pathlib import Path

import click

from kcmab_abm.cli.options import option, with_option
from kcmab_abm.errors import MarketError, ScenarioError

_TOKEN = re.compile(r"[A-Za-z0-9._~-]{8,200}")  # safe unquoted in URLs and cookies


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@option(
    "--port",
    click.IntRange(1, 65535),
    "Port of the server (default: the first free port from 8080).",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; any but the default lets other computers in, with a token.",
)
@click.option("--token", help="Token that other computers need (default: a random one).")
@click.option("--no-browser", is_flag=True, help="Do not open a browser window.")
@with_option
def lab(
    file: Path | None, port: int | None, host: str, token: str | None, no_browser: bool
) -> None:
    """Play a market step by step in the browser, with lessons.

    FILE is the scenario to start with.

    \b
    Example:
      kcmab lab scenarios/figure1.toml
    """
    check_token(token)
    try:
        # Late, because the web framework takes a second to import and may be missing.
        from kcmab_abm.lab.model.market_setup import starting_setup
        from kcmab_abm.lab.model.scenario_files import read_file
        from kcmab_abm.lab.server.server import serve
    except ModuleNotFoundError as error:
        raise MarketError(
            f'the lab needs {error.name}, which is not installed; pip install "kcmab-abm[lab]"'
        ) from None
    if file is None:
        setup = starting_setup()
    else:
        try:
            setup = read_file(_bytes_of(file))
        except ScenarioError as error:
            raise ScenarioError([f"{file}: {problem}" for problem in error.problems]) from None
    serve(host, port, token, browser=not no_browser, start=setup)


def check_token(token: str | None) -> None:
    """Refuse a token that cannot stand in an address as it is."""
    if token is not None and not _TOKEN.fullmatch(token):
        raise MarketError(
            "--token: must be 8 or more letters, digits or '.', '_', '~', '-'; leave it out for "
            "a random one"
        )


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ScenarioError([f"cannot be read: {error.strerror}"]) from None
