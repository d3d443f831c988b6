"""The frame around the tabs: header, light and dark, help, and words for screen readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from nicegui import ui

from kcmab_abm.lab.files_menu import build_files_menu
from kcmab_abm.lab.kept import keep, kept
from kcmab_abm.lab.keyboard import SHORTCUTS, listen
from kcmab_abm.lab.session import News, Session
from kcmab_abm.lab.theme import heading

TABS = {"market": "Market", "lessons": "Lessons", "batch": "Batch"}


class _Light(NamedTuple):
    dark: bool | None
    icon: str
    words: str


_LIGHTS = {
    "system": _Light(None, "brightness_auto", "as the system says"),
    "light": _Light(False, "light_mode", "light"),
    "dark": _Light(True, "dark_mode", "dark"),
}


@dataclass
class Frame:
    """What the tabs are put into."""

    tabs: ui.tabs
    panels: ui.tab_panels


def build_frame(session: Session, tab: str) -> Frame:
    """Put up the header and an empty panel for each tab; `tab` is opened first."""
    chosen = tab if tab in TABS else "market"
    with ui.header().classes("lab-header items-center gap-x-2 gap-y-0 px-3 py-1 no-wrap"):
        heading("kcmab lab", 1)
        with ui.tabs().props("dense no-caps inline-label") as tabs:
            for name, label in TABS.items():
                ui.tab(name, label)
        ui.space()
        build_files_menu(session)
        help_dialog = _help()
        _light_button()
        ui.button(icon="help_outline", on_click=help_dialog.open).props(
            'flat dense round color=white aria-label="Keyboard and help"'
        )
    panels = ui.tab_panels(tabs, value=chosen, animated=False).classes("w-full")
    ui.skip_link("Skip to the market", target=panels)
    query = ui.context.client.request.query_params
    tabs.on_value_change(lambda event: _keep_address(dict(query), str(event.value)))
    listen(session, tabs, help_dialog)
    return Frame(tabs, panels)


def _keep_address(query: dict[str, str], tab: str) -> None:
    """Write the tab into the address, so that it can be sent to somebody."""
    query.pop("token", None)
    ui.navigate.history.replace("?" + urlencode(query | {"tab": tab}))


def _light_button() -> None:
    """A button that goes from the system's light to light to dark and back, and is remembered."""
    order = list(_LIGHTS)
    chosen = kept("colours") if kept("colours") in order else order[0]
    mode = ui.dark_mode()

    def show() -> None:
        light = _LIGHTS[chosen]
        mode.value = light.dark
        button.props(f'icon={light.icon} aria-label="Colours: {light.words}"')
        words.text = f"Colours: {light.words}"

    def change() -> None:
        nonlocal chosen
        chosen = order[(order.index(chosen) + 1) % len(order)]
        keep("colours", chosen)
        show()

    button = ui.button(on_click=change).props("flat dense round color=white")
    with button:
        words = ui.tooltip()
    show()


def _help() -> ui.dialog:
    with ui.dialog() as dialog, ui.element("div").classes("lab-card lab-stack max-w-md"):
        heading("Keys")
        with ui.element("dl").classes("grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 m-0"):
            for keys, about in SHORTCUTS.items():
                with ui.element("dt"):
                    for key in keys.split():
                        ui.label(key).classes("lab-key mr-1")
                with ui.element("dd").classes("m-0"):
                    ui.label(about)
        ui.label("Keys are left alone while you type, and tabs are reached with Tab and arrows.")
        ui.button("Close", on_click=dialog.close).props("no-caps")
    return dialog


class LiveRegion:
    """Words for screen readers: what the last customer did, when the market stands still."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.words = ui.label().classes("lab-hidden").props("aria-live=polite role=status")
        session.listeners.append(self.hear)

    def hear(self, news: News) -> None:
        """Speak when something was done, not twenty times a second."""
        if news in ("moved", "paced") and not self.session.busy:
            self.words.text = " ".join(show.did() for show in self.session.shows)
