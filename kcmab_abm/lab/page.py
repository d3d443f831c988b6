"""The page: three tabs over one session, which ends when the visitor leaves."""

from __future__ import annotations

from nicegui import Client, ui

from kcmab_abm.errors import ScenarioError
from kcmab_abm.lab.batch_tab import build_batch
from kcmab_abm.lab.desk import from_link, starting_desk
from kcmab_abm.lab.lessons_tab import build_lessons
from kcmab_abm.lab.market_tab import build_market
from kcmab_abm.lab.session import TICK, Session

OPEN: set[Session] = set()  # the sessions of all visitors


def build_page(client: Client, desk: str) -> None:
    """One visitor's page; `desk` is the word of a link that restores what somebody saw."""
    session, complaint = _begin(desk)
    OPEN.add(session)
    client.on_delete(lambda: _end(session))
    with ui.tabs() as tabs:
        market = ui.tab("Market")
        lessons = ui.tab("Lessons")
        batch = ui.tab("Batch")
    with ui.tab_panels(tabs, value=market).classes("w-full"):
        with ui.tab_panel(market):
            build_market(session)
        with ui.tab_panel(lessons):
            build_lessons(session)
        with ui.tab_panel(batch):
            build_batch(session)
    ui.timer(TICK, session.tick)
    if complaint:
        ui.notify(complaint, type="negative")


def _begin(desk: str) -> tuple[Session, str]:
    try:
        return Session(from_link(desk) if desk else starting_desk()), ""
    except ScenarioError as error:
        return Session(starting_desk()), str(error)


def _end(session: Session) -> None:
    OPEN.discard(session)
    session.close()
