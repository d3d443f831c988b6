"""The look of the page: readable by everyone, on projectors and phones, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nicegui import ui

ui.button.default_props("no-caps")

_CSS = Path(__file__).with_name("theme.css")


def apply_theme() -> None:
    """Apply the theme to this visitor's page."""
    ui.add_css(_CSS)
    ui.colors(
        primary="#0072B2",
        secondary="#14384F",
        accent="#CC79A7",
        positive="#00734F",
        negative="#A63A00",
        info="#0072B2",
        warning="#E69F00",
    )


@contextmanager
def card(title: str, level: int = 2) -> Iterator[ui.element]:
    """A section of the page with a heading, whose contents are stacked."""
    with ui.element("section").classes("lab-card lab-stack") as part:
        part.props["aria-label"] = title
        heading(title, level)
        yield part


def heading(text: str, level: int = 2) -> ui.label:
    """A heading that screen readers find."""
    label = ui.label(text)
    label.tag = f"h{level}"
    return label


def note(text: str) -> ui.label:
    """A text in small grey letters."""
    return ui.label(text).classes("lab-quiet lab-small")


def complain(message: str) -> None:
    """Tell the visitor what went wrong, in plain text, for long enough to be read."""
    ui.notify(
        message,
        type="negative",
        position="bottom",
        timeout=20_000,
        close_button="Close",
        classes="lab-message",
        multi_line=True,
    )
