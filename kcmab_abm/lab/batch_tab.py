"""A thousand replications of what is on screen, by the batch engine."""

from __future__ import annotations

from nicegui import ui

from kcmab_abm.lab.session import Session


def build_batch(session: Session) -> None:
    """Put the batch runs on the page."""
    ui.label("Batch")
