"""The disclosure: what customers see of the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kcmab_abm.market.play_errors import bad_view, guarded
from kcmab_abm.market.visit import Visit
from kcmab_abm.model import streams
from kcmab_abm.model.book import clear, empty_book, find_top, is_legible, sealed_book

if TYPE_CHECKING:
    from kcmab_abm.market.place import MarketPlace


class Disclosure:
    """Fills in the view of each customer who is asked; `public` is that view, read-only."""

    def __init__(self, place: MarketPlace) -> None:
        market = place.scenario.market
        choice = market.disclosure
        self.place = place
        self.entry = choice.entry
        self.calls = choice.entry.calls
        self._own = (
            place.new_memory(choice),
            choice.params,
            place.open_stream(streams.DISCLOSURE),
        )
        self._view = empty_book(len(market.arms), market.ties == "first")
        self.public = sealed_book(self._view)

    def show(self, customer: int) -> None:
        """Let a customer see what is disclosed to her."""
        place, view = self.place, self._view
        clear(view)
        arguments = (customer, place.public, view, *self._own)
        guarded(self.calls["act"], arguments, (self.entry, customer, place.replication))
        if not is_legible(view):
            raise bad_view(self.entry, view, customer, place.replication)
        find_top(view)

    def hear(self, visit: Visit) -> None:
        """Take note of a report that is now in the book."""
        if hear := self.calls.get("learn"):
            place, number = self.place, visit.number
            arguments = (number, visit.arm, visit.told, place.public, *self._own)
            guarded(hear, arguments, (self.entry, number, place.replication))
