"""A market told in words, one line a customer."""

from __future__ import annotations

from collections.abc import Callable

from kcmab_abm.market.place import MarketPlace
from kcmab_abm.market.visit import Visit
from kcmab_abm.market.wire import Process
from kcmab_abm.offers import Board

_WIDEST = 12  # arms whose means still fit on a line


class Narrator:
    """Looks over every customer's shoulder and writes down what happens to her."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._seen: dict[int, str] = {}

    def __call__(self, place: MarketPlace) -> list[Process]:
        """The processes by which the narrator listens."""
        return [self._look(place), self._tell(place)]

    def _look(self, place: MarketPlace) -> Process:
        news = place.arrivals.next
        while True:
            visit, news = yield news
            board = yield visit.posted
            self._seen[visit.number] = _sees(place, visit, board)

    def _tell(self, place: MarketPlace) -> Process:
        news = place.receipts.next
        while True:
            visit, news = yield news
            arrives = f"customer {visit.number} arrives at {visit.clock:.6g}"
            did = does(visit, paid_to(place, visit))
            self._write(f"{arrives}, {self._seen.pop(visit.number)}; {did}")


def _sees(place: MarketPlace, visit: Visit, board: Board) -> str:
    if visit.seeded:
        return f"is sent to arm {visit.target}, which nobody has reported on"
    means = place.book.means
    shown = range(len(means)) if len(means) <= _WIDEST else {int(place.book.top[0]), visit.target}
    listed = " ".join(f"{arm}:{means[arm]:.3f}" for arm in sorted(shown))
    offered = [visit.target, *(arm for arm in range(len(means)) if arm != visit.target)]
    posted = [
        f"{board.offers[arm]:.3f} for arm {arm}" for arm in offered if board.offers[arm] > 0.0
    ]
    if visit.offer > 0.0 and len(posted) == 1:
        return f"sees {listed} and {visit.offer:.3f} offered for arm {visit.target}"
    if posted:
        return f"sees {listed}, arm {visit.target} promoted, and offers of {', '.join(posted)}"
    return f"sees {listed} and arm {visit.target} promoted for nothing"


def paid_to(place: MarketPlace, visit: Visit) -> float:
    """What this customer gets beside her reward: the payment, or what seeding costs."""
    return place.scenario.market.seeding_cost if visit.seeded else visit.payment


def does(visit: Visit, paid: float) -> str:
    """What the customer does and gets, in words."""
    wait = f"waits {visit.wait:.3g}, " if visit.wait else ""
    if visit.arm < 0:
        return f"{wait}leaves"
    refuses = "" if visit.arm == visit.target else "refuses, "
    payment = f"is paid {paid:.3f}" if paid > 0.0 else "is paid nothing"
    return f"{wait}{refuses}takes arm {visit.arm}, earns {visit.reward:.3g}, {payment}"
