"""The server of the page."""

from __future__ import annotations

from nicegui import Client, ui

from kcmab_abm.lab.desk import starting_desk
from kcmab_abm.lab.page import build_page


def serve(host: str, port: int, browser: bool) -> None:
    """Serve the page until interrupted."""

    @ui.page("/", title="kcmab lab")
    def _index(client: Client, desk: str = "", tab: str = "market") -> None:
        build_page(client, starting_desk(), desk, tab)

    ui.run(host=host, port=port, show=browser, reload=False, show_welcome_message=False)
