"""The page: three tabs over one session, which ends when the visitor leaves."""

from __future__ import annotations

from nicegui import Client, ui

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.batch_tab import build_batch
from kcmab_abm.lab.desk import Desk, from_link
from kcmab_abm.lab.frame import LiveRegion, build_frame
from kcmab_abm.lab.lessons_tab import build_lessons
from kcmab_abm.lab.live import Hub
from kcmab_abm.lab.market_tab import build_market
from kcmab_abm.lab.session import TICK, Session
from kcmab_abm.lab.theme import card, complain, dress

MOST_SESSIONS = 200
_AGAIN = 1000  # milliseconds, at most, between two attempts of a page to find its lost server

OPEN: set[Session] = set()  # the sessions of all visitors


def build_page(
    client: Client,
    start: Desk,
    link: str = "",
    tab: str = "",
    lesson: str = "",
    step: str = "",
) -> None:
    """One visitor's page; `link` is a word that restores what somebody saw, `start` is else shown.

    `lesson` and `step` are numbers in words, as an address has them.

    Every visitor gets markets of her own, and they are freed when she has gone.
    """
    dress()
    if len(OPEN) >= MOST_SESSIONS:
        with card("The lab is full", 1):
            ui.label(f"{MOST_SESSIONS} pages are open; close one that is not needed, and reload.")
        return
    session, complaint = _begin(start, link)
    OPEN.add(session)
    Hub()
    ui.run_javascript(f"window.socket.io.reconnectionDelayMax({_AGAIN})")
    client.on_delete(lambda: _end(session))
    client.on_exception(lambda error: complain(f"Something broke: {error!r}"))
    session.listeners.append(lambda news: complain(session.failure) if news == "failed" else None)
    place = (number_in(lesson), number_in(step))
    _build_tabs(session, tab or ("lessons" if place[0] else "market"), place)
    ui.timer(TICK, session.tick)
    if complaint:
        complain(complaint)


def _build_tabs(session: Session, tab: str, lesson: tuple[int, int]) -> None:
    frame = build_frame(session, tab)

    def lessons(session: Session) -> None:
        build_lessons(session, *lesson, to_market=lambda: frame.tabs.set_value("market"))

    builders = {"market": build_market, "lessons": lessons, "batch": build_batch}
    with frame.panels:
        for name, build in builders.items():
            with ui.tab_panel(name):
                build(session)
    LiveRegion(session)


def number_in(word: str) -> int:
    """The number that an address asks for; 0 if it is none."""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 4 else 0


def _begin(start: Desk, link: str) -> tuple[Session, str]:
    try:
        return Session(from_link(link) if link else start), ""
    except MarketError as error:
        return Session(start), str(error)


def _end(session: Session) -> None:
    OPEN.discard(session)
    session.close()
