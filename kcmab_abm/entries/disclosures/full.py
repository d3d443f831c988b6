"""Everything is disclosed: the paper's market.

With this disclosure the engines hand customers the book itself and do not copy it.
"""

from __future__ import annotations

from kcmab_abm.catalogue.disclosure_decorator import disclosure
from kcmab_abm.model.book import Book


@disclosure("full", cites="Section 2")
def show(book: Book, view: Book) -> None:
    """Shows the number and the mean of all reports on every arm."""
    for arm in range(len(view.means)):
        view.pulls[arm] = book.pulls[arm]
        view.totals[arm] = book.totals[arm]
        view.means[arm] = book.means[arm]
