"""One visitor's page: tabs that share a session, which ends when she leaves."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Callable, Mapping

from nicegui import Client, run, ui
from nicegui.client import ClientConnectionTimeout

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model.fair_clock import FairClock
from kcmab_abm.lab.model.market_setup import Setup, starting_setup
from kcmab_abm.lab.model.memory import give_back
from kcmab_abm.lab.model.session import TICK, News, Session
from kcmab_abm.lab.model.story import Story
from kcmab_abm.lab.server.header import LiveRegion, build_header
from kcmab_abm.lab.server.place_keeper import LOOK, PlaceKeeper, restored, where_she_was
from kcmab_abm.lab.tabs.batch_tab import BatchTab
from kcmab_abm.lab.tabs.gallery_tab import GalleryTab
from kcmab_abm.lab.tabs.lessons_tab import build_lessons
from kcmab_abm.lab.tabs.market_tab import build_market
from kcmab_abm.lab.tabs.story_tab import StoryTab
from kcmab_abm.lab.widgets.address import PageAddress
from kcmab_abm.lab.widgets.background_reading import read_in_background
from kcmab_abm.lab.widgets.cookies import read_cookie, write_cookie
from kcmab_abm.lab.widgets.entry_form import attempt
from kcmab_abm.lab.widgets.live_updates import Hub
from kcmab_abm.lab.widgets.theme import apply_theme, card, complain

MOST_SESSIONS = 200
MOST_WAITING = 100  # pages sent to browsers that have not connected yet
CONNECT = 60.0  # seconds that a browser has to connect
TIDYING = 10.0  # seconds between looks at whether visitors have left
_RETRY = 1000  # milliseconds, at most, between a page's attempts to reconnect
_TOKEN = 18  # letters of a visitor's name

OPEN: set[Session] = set()  # the sessions of all visitors
CLOCK = FairClock()  # which plays all their markets
_waiting: dict[Client, str] = {}  # pages not connected yet and who asked, the oldest first

# If the lab was restarted with another token, the browser is refused: reloading shows what to do.
_RECONNECTING = f"""
window.socket.io.reconnectionDelayMax({_RETRY});
window.socket.on("connect_error", async () => {{
  const answer = await fetch("/sessions").catch(() => null);
  if (answer?.status === 403) location.reload();
}});
"""


async def build_page(client: Client, start: Setup, words: Mapping[str, str]) -> None:
    """Build one visitor's page: what the words of the address restore, or else `start`.

    Every visitor gets her own markets, which are freed when she leaves. They are made once her
    browser has connected; merely requesting the page costs next to nothing.
    """
    apply_theme()
    if len(OPEN) >= MOST_SESSIONS:
        _turn_away(f"{MOST_SESSIONS} pages are already open. Close one, then reload this page.")
        return
    opening = ui.label("Opening the lab …").props("role=status")
    _wait_for(client)
    try:
        await client.connected(CONNECT)
    except ClientConnectionTimeout:
        return
    finally:
        _waiting.pop(client, None)
    if client.is_deleted:
        return
    known, lost = where_she_was(words)
    try:
        begun = await read_in_background(restored, start, known)
    except MarketError as error:  # there is no memory left for any market
        _turn_away(f"{str(error)[0].upper()}{str(error)[1:]}.")
        return
    finally:
        opening.delete()
    if begun is None or client.is_deleted:  # the server is shutting down, or she has left
        return
    session, story, complaint = begun
    _enter(client, start, session, story, known)
    if complaint or lost:
        complain(complaint or lost)


def _turn_away(words: str) -> None:
    with card("The lab is full", 1):
        ui.label(words)


def _enter(
    client: Client, start: Setup, session: Session, story: Story, known: Mapping[str, str]
) -> None:
    """Build the page of a visitor who has connected."""
    place = (number_in(known.get("lesson", "")), number_in(known.get("step", "")))
    tab = known.get("tab") or _first_tab(start, known.get("setup", ""), place[0])
    address = PageAddress({"tab": tab, **known})
    keeper = PlaceKeeper(session, story, start, address)
    OPEN.add(session)
    for each in (session, story.session):
        CLOCK.add(each)
    Hub()
    ui.run_javascript(_RECONNECTING)
    client.on_delete(lambda: _end(session, story, keeper))
    client.on_exception(lambda error: complain(f"Something went wrong: {error!r}"))

    def hear(news: News) -> None:
        if news == "failed":
            with client:  # the clock belongs to nobody's page
                complain(session.failure)

    session.listeners.append(hear)
    _build_tabs(session, story, tab, place)
    ui.timer(LOOK, keeper.look)


def _build_tabs(session: Session, story: Story, tab: str, lesson: tuple[int, int]) -> None:
    tabs, panels = build_header(session, tab)

    def show(setup: Setup) -> None:
        attempt(lambda: session.open(setup), lambda: None)
        tabs.set_value("market")

    builders: dict[str, Callable[[], object]] = {
        "story": lambda: StoryTab(story, lambda: show(story.state())),
        "gallery": lambda: GalleryTab(show),
        "market": lambda: build_market(session),
        "lessons": lambda: build_lessons(
            session, *lesson, to_market=lambda: tabs.set_value("market")
        ),
        "batch": lambda: BatchTab(session, _visitor()),
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


def _visitor() -> str:
    """The name under which this visitor's browser is known."""
    name = read_cookie("visitor")
    if not name:
        name = secrets.token_hex(_TOKEN // 2)
        write_cookie("visitor", name)
    return name


def _first_tab(start: Setup, link: str, lesson: int) -> str:
    """The tab of an address that names none."""
    if lesson:
        return "lessons"
    return "market" if link or start != starting_setup() else "story"


def number_in(word: str) -> int:
    """The number in part of an address; 0 if there is none."""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 4 else 0


def _wait_for(client: Client) -> None:
    """Keep the page for a browser that has yet to connect, but not too many such pages.

    If there are too many, the oldest one of whoever asked for most of them has to go, so that
    nobody can keep others out.
    """
    _waiting[client] = client.ip or ""
    if len(_waiting) > MOST_WAITING:
        asked = Counter(_waiting.values())
        greedy = max(asked, key=asked.__getitem__)
        next(each for each, who in _waiting.items() if who == greedy).delete()


def _end(session: Session, story: Story, keeper: PlaceKeeper) -> None:
    keeper.keep()
    OPEN.discard(session)
    for each in (session, story.session):
        CLOCK.discard(each)
        each.close()


async def play_markets() -> None:
    """Play the markets of all visitors for as long as the server runs."""
    before, looked = len(OPEN), time.monotonic()
    while True:
        spent = CLOCK.round()
        if time.monotonic() - looked > TIDYING:
            if len(OPEN) < before:
                await run.io_bound(give_back)
            before, looked = len(OPEN), time.monotonic()
        await asyncio.sleep(max(TICK - spent, spent))  # at least half of the time is for others
