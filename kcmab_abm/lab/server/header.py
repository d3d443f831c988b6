"""The header with tabs, colour mode and help, and announcements for screen readers."""

from __future__ import annotations

from nicegui import ui

from kcmab_abm.lab.model.session import News, Session
from kcmab_abm.lab.widgets.address import page_address
from kcmab_abm.lab.widgets.cookies import read_cookie, write_cookie
from kcmab_abm.lab.widgets.files_menu import FilesMenu
from kcmab_abm.lab.widgets.keyboard import SHORTCUTS, listen
from kcmab_abm.lab.widgets.theme import heading

TERMS = {
    "arm": "one of the options between which customers choose",
    "reward": "what a customer earns with the arm that she takes, and reports to the others",
    "record": "average of all rewards reported for an arm so far",
    "true mean": "average reward of an arm in the long run, which no customer knows",
    "controller": "promotes (recommends) an arm to each customer and may offer money for taking it",
    "compensation": "what the controller pays to customers who take the promoted arm",
    "regret": "what customers lose by not taking the best arm, measured with the true means",
}
TABS = {
    "story": "Start",
    "gallery": "Gallery",
    "market": "Market",
    "lessons": "Lessons",
    "batch": "Batch",
}


_COLOURS: dict[str, tuple[bool | None, str, str]] = {
    "system": (None, "brightness_auto", "same as system"),
    "light": (False, "light_mode", "light"),
    "dark": (True, "dark_mode", "dark"),
}


def build_header(session: Session, tab: str) -> tuple[ui.tabs, ui.tab_panels]:
    """Build the header and empty panels for the tabs; `tab` is open at first."""
    chosen = tab if tab in TABS else "story"
    with ui.header().classes("lab-header items-center gap-x-2 gap-y-0 px-3 py-1"):
        heading("kcmab lab", 1)
        with ui.tabs().props("dense no-caps inline-label").classes("lab-tabs") as tabs:
            for name, label in TABS.items():
                ui.tab(name, label)
        ui.space()
        FilesMenu(session)
        help_dialog = _help()
        _colour_button()
        ui.button(icon="help_outline", on_click=help_dialog.open).props(
            'flat dense round color=white aria-label="Keyboard and help"'
        )
    panels = ui.tab_panels(tabs, value=chosen, animated=False).classes("w-full")
    ui.skip_link("Skip to content", target=panels)
    tabs.on_value_change(lambda event: _keep_address(str(event.value)))
    listen(session, tabs, help_dialog)
    return tabs, panels


def _keep_address(tab: str) -> None:
    """Put the open tab into the address, so that it can be shared."""
    page_address().put(tab=tab)
    ui.run_javascript("window.scrollTo(0, 0)")


def _colour_button() -> None:
    """A button that cycles through the colour modes; the browser remembers the choice."""
    order = list(_COLOURS)
    chosen = read_cookie("colours") if read_cookie("colours") in order else order[0]
    mode = ui.dark_mode()

    def show() -> None:
        mode.value, icon, name = _COLOURS[chosen]
        words.text = f"Colours: {name}"
        button.props(f'icon={icon} aria-label="{words.text}"')

    def change() -> None:
        nonlocal chosen
        chosen = order[(order.index(chosen) + 1) % len(order)]
        write_cookie("colours", chosen)
        show()

    button = ui.button(on_click=change).props("flat dense round color=white")
    with button:
        words = ui.tooltip()
    show()


def _help() -> ui.dialog:
    with ui.dialog() as dialog, ui.element("div").classes("lab-card lab-stack max-w-md"):
        heading("Keyboard shortcuts")
        with ui.element("dl").classes("grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 m-0"):
            for keys, about in SHORTCUTS.items():
                with ui.element("dt"):
                    for key in keys.split():
                        ui.label(key).classes("lab-key mr-1")
                with ui.element("dd").classes("m-0"):
                    ui.label(about)
        ui.label("Shortcuts are off while you type. Reach the tabs with Tab and the arrow keys.")
        heading("Terms")
        with ui.element("dl").classes("lab-small m-0"):
            for term, about in TERMS.items():
                with ui.element("dt").classes("font-semibold"):
                    ui.label(term)
                with ui.element("dd").classes("m-0 mb-1"):
                    ui.label(about)
        ui.button("Close", on_click=dialog.close)
    return dialog


class LiveRegion:
    """Announces to screen readers what the last customer did while the market is paused."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.words = ui.label().classes("lab-hidden").props("aria-live=polite role=status")
        session.listeners.append(self.hear)

    def hear(self, news: News) -> None:
        """Announce single steps, not twenty updates per second."""
        if news in ("moved", "paced") and not self.session.busy:
            self.words.text = " ".join(market.did() for market in self.session.markets)
