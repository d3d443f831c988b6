"""The address of a visitor's page, which says where she is."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from nicegui import Client, ui

_ADDRESSES: WeakKeyDictionary[Client, PageAddress] = WeakKeyDictionary()
_ORDER = ("tab", "lesson", "step")  # what people read comes first


class PageAddress:
    """The words of an address by name; `put` changes some of them in the browser."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self.words = {name: word for name, word in words.items() if name != "token"}
        _ADDRESSES[ui.context.client] = self

    def put(self, **words: str) -> None:
        """Set words of the address; '' removes one. The browser's history gets no new entry."""
        changed = {name: word for name, word in (self.words | words).items() if word}
        if changed != self.words:
            self.words = changed
            named = sorted(changed.items(), key=_rank)
            ui.navigate.history.replace("?" + urlencode(named))


def page_address() -> PageAddress:
    """The address of the current visitor's page."""
    return _ADDRESSES[ui.context.client]


def _rank(item: tuple[str, str]) -> tuple[int, str]:
    name = item[0]
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER)), name
