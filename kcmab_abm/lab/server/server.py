"""Starting the web server."""

from __future__ import annotations

import errno
import secrets
import socket
import sys

import click
from fastapi import Request
from nicegui import Client, app, background_tasks, ui

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model.market_setup import Setup
from kcmab_abm.lab.server.cookie_secret import cookie_secret
from kcmab_abm.lab.server.guard import LARGEST_BODY, Guard, is_loopback, own_hosts
from kcmab_abm.lab.server.page import OPEN, build_page, play_markets
from kcmab_abm.lab.server.reading_page import build_reading

FIRST_PORT, TRIED = 8080, 20
INTERRUPTED = 130
PATIENCE = 30.0  # seconds for other visitors' links to be read before a page is sent
RECONNECT = 10.0  # seconds that a visitor may be offline before her markets are freed

ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
<rect width="16" height="16" rx="3" fill="#14384F"/><rect x="3" y="7" width="2.5" height="6"
fill="#56B4E9"/><rect x="6.8" y="3" width="2.5" height="10" fill="#E69F00"/><rect x="10.6" y="9"
width="2.5" height="4" fill="#FFFFFF"/></svg>"""


def serve(host: str, port: int | None, token: str | None, browser: bool, start: Setup) -> None:
    """Serve the page until interrupted; every visitor starts with `start`."""
    found = free_port(host, port)
    word = token or ("" if is_loopback(host) else secrets.token_urlsafe(16))
    _add_pages(start)
    app.on_startup(lambda: background_tasks.create(play_markets(), name="markets"))
    app.add_middleware(
        Guard,
        hosts=own_hosts(host),
        token=word,
        cookie=f"kcmab_lab_{found}",
        secret=cookie_secret(word) if word else "",
    )
    path = f"/?token={word}" if word else "/"
    click.echo(f"The lab is open at http://{_shown(host)}:{found}{path} (press Ctrl-C to stop it).")
    try:
        ui.run(
            host=host,
            port=found,
            title="kcmab lab",
            favicon=ICON,
            language="en-GB",
            dark=None,
            show=path if browser else False,
            reload=False,
            show_welcome_message=False,
            reconnect_timeout=RECONNECT,
            timeout_graceful_shutdown=1,
            ws_max_size=LARGEST_BODY,
        )
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)  # quietly, because there are no results to mention


def _add_pages(start: Setup) -> None:
    @ui.page("/", response_timeout=PATIENCE)
    async def _index(client: Client, request: Request) -> None:
        await build_page(client, start, dict(request.query_params))

    @ui.page("/reading/{path:path}")
    def _reading(path: str) -> None:
        build_reading(path)

    @app.get("/sessions")
    def _sessions() -> dict[str, int]:
        return {"sessions": len(OPEN)}


def free_port(host: str, asked: int | None) -> int:
    """The requested port, or the first free one."""
    ports = [asked] if asked else list(range(FIRST_PORT, FIRST_PORT + TRIED))
    for port in ports:
        if _is_free(host, port):
            if port != ports[0]:
                click.echo(f"Port {ports[0]} is in use; using {port} instead.")
            return port
    tried = f"port {ports[0]}" if asked else f"every port from {ports[0]} to {ports[-1]}"
    raise MarketError(f"--port: {tried} is in use or not allowed; choose another with --port N")


def _is_free(host: str, port: int) -> bool:
    try:
        family, kind, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise MarketError(
            f"--host: {host!r} has no address ({error.strerror}); give one of this machine's "
            "addresses, such as 127.0.0.1, or 0.0.0.0 for all of them"
        ) from None
    with socket.socket(family, kind) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise MarketError(
                    f"--host: {host!r} is not an address of this machine; try 0.0.0.0"
                ) from None
            return False
    return True


def _shown(host: str) -> str:
    """The host as others would type it."""
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
