"""The command `kcmab lab`."""

from __future__ import annotations

import re
from pathlib import Path

import click

from kcmab_abm.errors import MarketError, ScenarioError
from kcmab_abm.options import with_option

_TOKEN = re.compile(r"[A-Za-z0-9._~-]{8,200}")  # what needs no quoting in addresses and cookies


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="The first free one from 8080 on unless given.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Another one than this machine itself lets others in, who then need a token.",
)
@click.option("--token", help="What others need to be let in; made up unless given.")
@click.option("--no-browser", is_flag=True, help="Open no browser window.")
@with_option
def lab(
    file: Path | None, port: int | None, host: str, token: str | None, no_browser: bool
) -> None:
    """Open a page on which a market is played step by step, with lessons.

    FILE is a scenario to begin with.

    \b
    Example:
      kcmab lab scenarios/figure1.toml
    """
    if token is not None and not _TOKEN.fullmatch(token):
        raise MarketError(
            "--token: must be 8 or more letters, digits or '.', '_', '~', '-'; leave it out and "
            "one is made up"
        )
    try:
        # Late, because the web framework takes a second to import and may be missing.
        from kcmab_abm.lab.desk import read_file, starting_desk
        from kcmab_abm.lab.server import serve
    except ModuleNotFoundError as error:
        raise MarketError(
            f'the lab needs {error.name}, which is not installed; pip install "kcmab-abm[lab]"'
        ) from None
    if file is None:
        desk = starting_desk()
    else:
        try:
            desk = read_file(_bytes_of(file))
        except ScenarioError as error:
            raise ScenarioError([f"{file}: {problem}" for problem in error.problems]) from None
    serve(host, port, token, browser=not no_browser, start=desk)


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ScenarioError([f"cannot be read: {error.strerror}"]) from None
