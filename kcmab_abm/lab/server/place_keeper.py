"""Keeps where a visitor is: in the address, and on the server for an hour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model.gallery import exhibits, open_exhibit
from kcmab_abm.lab.model.market_setup import Setup
from kcmab_abm.lab.model.session import Session
from kcmab_abm.lab.model.share_links import from_link, to_link
from kcmab_abm.lab.model.story import Story, story_from, story_word
from kcmab_abm.lab.model.visits import Visits
from kcmab_abm.lab.widgets.address import PageAddress

LONGEST = 6000  # characters of a scenario in an address; longer ones are kept on the server only
LOOK = 1.0  # seconds between looks

VISITS = Visits()  # of all visitors


class PlaceKeeper:
    """Remembers one page's state while it changes; `start` is what a plain address shows."""

    def __init__(self, session: Session, story: Story, start: Setup, address: PageAddress) -> None:
        self.session, self.story, self.start, self.address = session, story, start, address
        self.visit = Visits.new_name()
        self._packed: tuple[Setup, str] = (start, "")

    def keep(self) -> dict[str, str]:
        """Keep the state on the server."""
        state = self._state()
        VISITS.keep(self.visit, {**self.address.words, **state})
        return state

    def look(self) -> None:
        """Keep the state, and write it into the address unless the market runs."""
        state = self.keep()
        if not self.session.busy and not self.story.session.busy:
            short = len(state["setup"]) <= LONGEST
            self.address.put(**state | {"visit": self.visit} | ({} if short else {"setup": ""}))

    def _state(self) -> dict[str, str]:
        place = self.session.place
        told = self.story.session.place > 0 or self.story.town != Story().town
        return {
            "setup": self._scenario(),
            "file": "",  # the scenario itself is in the setup
            "at": str(place) if place else "",
            "story": story_word(self.story) if told else "",
        }

    def _scenario(self) -> str:
        """The setup at its first customer as a link, or '' if it is the start."""
        setup = self.session.setup
        if setup != self._packed[0] or setup.scenario is not self._packed[0].scenario:
            plain = replace(setup, shown=0)
            self._packed = setup, "" if plain == replace(self.start, shown=0) else to_link(plain)
        return self._packed[1]


def where_she_was(words: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """The words of an address with what the server remembers of that visit, and a complaint."""
    name = words.get("visit", "")
    kept = VISITS.recall(name) if name else None
    given = {word: value for word, value in words.items() if word not in ("token", "visit")}
    if kept is None:
        lost = name and not {"setup", "at", "story", "lesson"} & set(given)
        return given, _LOST if lost and given.get("tab") not in ("gallery", "batch") else ""
    return {
        **kept,
        **{word: given[word] for word in ("tab", "lesson", "step") if word in given},
    }, ""


_LOST = (
    "This visit is no longer kept, because it ended more than an hour ago or the lab was "
    "restarted. Everything begins anew."
)


def _setup(start: Setup, words: Mapping[str, str]) -> Setup:
    """What an address shows: a link, a shipped file, or the start."""
    if words.get("setup"):
        return from_link(words["setup"])
    if words.get("file") in exhibits():
        return open_exhibit(words["file"])
    return start


def restored(start: Setup, words: Mapping[str, str]) -> tuple[Session, Story, str]:
    """The session and the story of an address, and a complaint if it is damaged."""
    complaint = ""
    try:
        setup = _setup(start, words)
        at = words.get("at", "")
        if at.isascii() and at.isdigit() and len(at) < 8:
            setup = replace(setup, shown=min(int(at), setup.scenario.horizon))
        session = Session(setup)
    except MarketError as error:
        session, complaint = Session(start), str(error)
    return session, story_from(words.get("story", "")), complaint
