"""The command `kcmab lab`."""

from __future__ import annotations

import click

from kcmab_abm.errors import MarketError
from kcmab_abm.options import with_option


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True)
@click.option("--no-browser", is_flag=True, help="Open no browser window.")
@with_option
def lab(port: int, no_browser: bool) -> None:
    """Open a page on which a market is played step by step, with lessons.

    \b
    Example:
      kcmab lab
    """
    try:
        # Late, because the web framework takes a second to import and may be missing.
        from kcmab_abm.lab.server import serve
    except ModuleNotFoundError as error:
        raise MarketError(
            f'the lab needs {error.name}, which is not installed; pip install "kcmab-abm[lab]"'
        ) from None
    serve("127.0.0.1", port, browser=not no_browser)
