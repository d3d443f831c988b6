"""Six lessons, each a few steps with a question that the page checks."""

from __future__ import annotations

from nicegui import ui

from kcmab_abm.lab.session import Session


def build_lessons(session: Session) -> None:
    """Put the lessons on the page."""
    ui.label("Lessons")
