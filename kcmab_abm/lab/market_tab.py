"""The market: arms and customers on the left, accounts on the right, controls above."""

from __future__ import annotations

from nicegui import ui

from kcmab_abm.lab.session import Session


def build_market(session: Session) -> None:
    """Put the market on the page."""
    ui.label(session.shows[0].sees())
