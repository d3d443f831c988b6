"""Starting the server of a class."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from secrets import token_urlsafe
from typing import NamedTuple

import click
from nicegui import app, ui

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.classroom.console import Console
from kcmab_abm.lab.classroom.network import lan_address, qr_code
from kcmab_abm.lab.classroom.phones import PUBLIC, Phones
from kcmab_abm.lab.classroom.teacher_page import TeacherPage
from kcmab_abm.lab.model.classroom.classroom import Classroom
from kcmab_abm.lab.model.classroom.journal import open_class
from kcmab_abm.lab.model.classroom.plan import Plan
from kcmab_abm.lab.server.guard import LARGEST_BODY, Guard, is_loopback, own_hosts
from kcmab_abm.lab.server.server import ICON, INTERRUPTED, free_port
from kcmab_abm.scenario.scenario import Scenario

_LOOK = 0.25  # seconds


class ClassOptions(NamedTuple):
    """How a class is served; `address` and `token` are found if they are empty."""

    host: str = "0.0.0.0"
    port: int | None = None
    address: str = ""
    token: str = ""
    browser: bool = True


def serve_class(
    plan: Plan, scenarios: Mapping[str, Scenario], folder: Path, options: ClassOptions
) -> None:
    """Serve a class until interrupted; one that the folder holds already goes on.

    Parameters
    ----------
    plan
        A new class.
    scenarios
        The scenarios that the teacher may push, by name.
    folder
        The folder in which the class is recorded.
    options
        How it is served.
    """
    port = free_port(options.host, options.port)
    classroom, journal = open_class(folder, lambda: plan)
    with journal:
        if classroom.plan is not plan:
            _check_same(classroom, plan, folder)
            _greet(classroom, folder)
        _serve(classroom, scenarios, folder, options, port)


def _check_same(classroom: Classroom, plan: Plan, folder: Path) -> None:
    """Refuse to go on with a class that was opened with something else."""
    if {**classroom.plan.table(), "code": ""} != {**plan.table(), "code": ""}:
        raise MarketError(
            f"--out: {folder} holds a class with another scenario or other options; repeat those, "
            "or give another folder"
        )


def _greet(classroom: Classroom, folder: Path) -> None:
    click.echo(
        f"Going on with the class in {folder}: {len(classroom.roster)} students have joined. For "
        "a new class, give another folder with --out."
    )


def _serve(
    classroom: Classroom,
    scenarios: Mapping[str, Scenario],
    folder: Path,
    options: ClassOptions,
    port: int,
) -> None:
    phones = Phones(classroom, failed=lambda words: click.echo(words, err=True))
    console = Console(classroom, phones, folder, scenarios)
    token = options.token or token_urlsafe(16)
    name = options.address or (options.host if is_loopback(options.host) else lan_address())
    address = f"http://{name}:{port}"
    qr = qr_code(f"{address}/?code={classroom.plan.code}")
    _add_pages(phones, console, address, qr)
    hosts = own_hosts(options.host)
    app.add_middleware(Guard, hosts=hosts, token=token, cookie=f"kcmab_class_{port}", public=PUBLIC)
    path = f"/teacher?token={token}"
    click.echo(f"Your screen is at http://127.0.0.1:{port}{path} (press Ctrl-C to stop the class).")
    click.echo(f"Phones go to {address} and type the room code {classroom.plan.code}.")
    if is_loopback(name):
        click.echo("This address works on this machine only; give --address for phones to use.")
    try:
        ui.run(
            host=options.host,
            port=port,
            title="kcmab class",
            favicon=ICON,
            language="en-GB",
            dark=None,
            show=path if options.browser else False,
            reload=False,
            show_welcome_message=False,
            timeout_graceful_shutdown=1,
            ws_max_size=LARGEST_BODY,
        )
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _add_pages(phones: Phones, console: Console, address: str, qr: str) -> None:
    app.add_api_route("/", phones.page, methods=["GET"], include_in_schema=False)
    app.add_api_websocket_route("/phone", phones.serve)

    @ui.page("/teacher")
    def _teacher() -> None:
        TeacherPage(console, address, qr)

    tasks: list[asyncio.Task[None]] = []

    async def look() -> None:
        while True:
            await asyncio.sleep(_LOOK)
            try:
                console.look()
            except MarketError as error:
                console.problem = str(error)

    app.on_startup(lambda: tasks.extend(map(asyncio.create_task, (phones.run(), look()))))
    app.on_shutdown(lambda: [task.cancel() for task in tasks])
    app.on_shutdown(console.close)
