"""One visitor's page: tabs that share a session, which ends when she leaves."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import Client, ui

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model.market_setup import Setup, starting_setup
from kcmab_abm.lab.model.session import TICK, Session
from kcmab_abm.lab.model.share_links import from_link
from kcmab_abm.lab.model.story import Story
from kcmab_abm.lab.server.header import LiveRegion, build_header
from kcmab_abm.lab.tabs.batch_tab import BatchTab
from kcmab_abm.lab.tabs.gallery_tab import GalleryTab
from kcmab_abm.lab.tabs.lessons_tab import build_lessons
from kcmab_abm.lab.tabs.market_tab import build_market
from kcmab_abm.lab.tabs.story_tab import StoryTab
from kcmab_abm.lab.widgets.background_reading import read_in_background
from kcmab_abm.lab.widgets.live_updates import Hub
from kcmab_abm.lab.widgets.theme import apply_theme, card, complain

MOST_SESSIONS = 200
MOST_WAITING = 100  # pages sent to browsers that have not connected yet
_RETRY = 1000  # milliseconds, at most, between a page's attempts to reconnect

OPEN: set[Session] = set()  # the sessions of all visitors
_waiting: dict[Client, Session] = {}  # pages not connected yet, the oldest first


async def build_page(
    client: Client,
    start: Setup,
    link: str = "",
    tab: str = "",
    lesson: str = "",
    step: str = "",
) -> None:
    """Build one visitor's page: what `link` restores, or else `start`.

    `lesson` and `step` are numbers as text, taken from the address. Every visitor gets her own
    markets, which are freed when she leaves. She counts as a visitor once her browser has
    connected; merely requesting the page does not count.
    """
    apply_theme()
    if len(OPEN) >= MOST_SESSIONS:
        with card("The lab is full", 1):
            ui.label(f"{MOST_SESSIONS} pages are already open. Close one, then reload this page.")
        return
    begun = await read_in_background(_begin, start, link)
    if begun is None:  # the server is shutting down
        return
    session, complaint = begun
    story = Story()
    _wait_for(client, session)
    Hub()
    ui.run_javascript(f"window.socket.io.reconnectionDelayMax({_RETRY})")
    client.on_connect(lambda: _enter(client, session))
    client.on_delete(lambda: _end(client, session))
    client.on_exception(lambda error: complain(f"Something went wrong: {error!r}"))
    session.listeners.append(lambda news: complain(session.failure) if news == "failed" else None)
    place = (number_in(lesson), number_in(step))
    _build_tabs(session, story, tab or _first_tab(start, link, place[0]), place)
    ui.timer(TICK, session.tick)
    ui.timer(TICK, story.session.tick)
    if complaint:
        complain(complaint)


def _build_tabs(session: Session, story: Story, tab: str, lesson: tuple[int, int]) -> None:
    tabs, panels = build_header(session, tab)

    def show(setup: Setup) -> None:
        session.open(setup)
        tabs.set_value("market")

    builders: dict[str, Callable[[], object]] = {
        "story": lambda: StoryTab(story, lambda: show(story.state())),
        "gallery": lambda: GalleryTab(show),
        "market": lambda: build_market(session),
        "lessons": lambda: build_lessons(
            session, *lesson, to_market=lambda: tabs.set_value("market")
        ),
        "batch": lambda: BatchTab(session),
    }
    places = {}
    with panels:
        for name in builders:
            places[name] = ui.tab_panel(name)

    def build(name: str) -> None:
        """Build a tab when it is opened for the first time."""
        if name in builders:
            with places[name]:
                builders.pop(name)()

    build(str(panels.value))
    tabs.on_value_change(lambda event: build(str(event.value)))
    LiveRegion(session)


def _first_tab(start: Setup, link: str, lesson: int) -> str:
    """The tab of an address that names none."""
    if lesson:
        return "lessons"
    return "market" if link or start != starting_setup() else "story"


def number_in(word: str) -> int:
    """The number in part of an address; 0 if there is none."""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 4 else 0


def _begin(start: Setup, link: str) -> tuple[Session, str]:
    try:
        return Session(from_link(link) if link else start), ""
    except MarketError as error:
        return Session(start), str(error)


def _wait_for(client: Client, session: Session) -> None:
    """Keep the page for a browser that has yet to connect, but not too many such pages."""
    _waiting[client] = session
    if len(_waiting) > MOST_WAITING:
        next(iter(_waiting)).delete()


def _enter(client: Client, session: Session) -> None:
    if _waiting.pop(client, None) is not None:
        OPEN.add(session)


def _end(client: Client, session: Session) -> None:
    _waiting.pop(client, None)
    OPEN.discard(session)
    session.close()
