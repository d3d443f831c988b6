"""A page of the documentation that a lesson recommends."""

from __future__ import annotations

from nicegui import ui

from kcmab_abm.lab.model.reading import page_of
from kcmab_abm.lab.widgets.theme import apply_theme, card


def build_reading(path: str) -> None:
    """Build the page for a recommended file, or say that there is none."""
    apply_theme()
    ui.dark_mode(None)
    found = page_of(path)
    if found is None:
        with card("No such page", 1):
            ui.label("No lesson recommends this page, or the documentation is not installed.")
    else:
        with ui.element("section").classes("lab-card"):
            # The text is the project's own, rendered without any HTML that it contains.
            ui.html(found, sanitize=False).classes("lab-reading")
