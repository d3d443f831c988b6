"""A market told in words, one line a customer."""

from __future__ import annotations

from collections.abc import Callable

from kcmab_abm.market.place import MarketPlace
from kcmab_abm.market.sight import Sight, sight_of
from kcmab_abm.market.visit import Visit
from kcmab_abm.market.wire import Process

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
            self._seen[visit.number] = sees(sight_of(visit, place.book))

    def _tell(self, place: MarketPlace) -> Process:
        news = place.receipts.next
        while True:
            visit, news = yield news
            arrives = f"customer {visit.number} arrives at {visit.clock:.6g}"
            did = does(visit, paid_to(place, visit))
            self._write(f"{arrives}, {self._seen.pop(visit.number)}; {did}")


def sees(sight: Sight) -> str:
    """What a customer sees, in words."""
    target, offers, means = sight.target, sight.offers, sight.means
    if sight.seeded:
        return f"is sent to arm {target}, which nobody has reported on"
    shown = range(len(means)) if len(means) <= _WIDEST else {int(means.argmax()), target}
    listed = " ".join(f"{arm}:{means[arm]:.3f}" for arm in sorted(shown))
    offered = [target, *(arm for arm in range(len(means)) if arm != target)]
    posted = [f"{offers[arm]:.3f} for arm {arm}" for arm in offered if offers[arm] > 0.0]
    if offers[target] > 0.0 and len(posted) == 1:
        return f"sees {listed} and {offers[target]:.3f} offered for arm {target}"
    if posted:
        return f"sees {listed}, arm {target} promoted, and offers of {', '.join(posted)}"
    return f"sees {listed} and arm {target} promoted for nothing"


def paid_to(place: MarketPlace, visit: Visit) -> float:
    """What this customer gets beside her reward: the payment, or what seeding costs."""
    return place.scenario.market.seeding_cost if visit.seeded else visit.payment


def does(visit: Visit, paid: float) -> str:
    """What she does then, in words; `paid` is what the controller pays her."""
    wait = f"waits {visit.wait:.3g}, " if visit.wait else ""
    if visit.arm < 0:
        return f"{wait}leaves"
    refuses = "" if visit.arm == visit.target else "refuses, "
    payment = f"is paid {paid:.3f}" if paid > 0.0 else "is paid nothing"
    return f"{wait}{refuses}takes arm {visit.arm}, earns {visit.reward:.3g}, {payment}"
