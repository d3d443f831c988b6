"""The latest reports on every arm, and nothing older.

A page of reviews: customers see the last `window` reports on each arm, all alike, and no average of
the others. Each arm keeps its own reports, however long ago they came.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kcmab_abm.catalogue.disclosure_decorator import disclosure
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book


def room(arms: int, given: Mapping[str, Any]) -> int:
    """The number of recent reports kept for all arms together."""
    return int(arms * given["window"])


def hear(arm: int, reward: float, book: Book, memory: Any, params: Any) -> None:
    """Store a report in place of the oldest one, and add up the reports from the oldest on."""
    window, pulls = params.window, int(book.pulls[arm])
    memory.recent[arm * window + (pulls - 1) % window] = reward
    if pulls <= window:
        memory.total[arm] += reward
        return
    total = 0.0
    for age in range(window):
        total += memory.recent[arm * window + (pulls + age) % window]
    memory.total[arm] = total


@disclosure(
    "latest",
    hear=hear,
    memory={"recent": room, "total": "arms"},
    window=Parameter(50, "number of reports shown per arm", ge=1, le=100_000),
)
def show(book: Book, view: Book, memory: Any, params: Any) -> None:
    """Shows the latest reports on every arm."""
    for arm in range(len(view.means)):
        pulls = min(int(book.pulls[arm]), params.window)
        view.pulls[arm] = pulls
        view.totals[arm] = memory.total[arm]
        if pulls > 0:
            view.means[arm] = memory.total[arm] / pulls
