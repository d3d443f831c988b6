"""A market described in words, one line per customer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kcmab_abm.market.channel import Process
from kcmab_abm.market.place import MarketPlace
from kcmab_abm.market.snapshot import Snapshot, snapshot_for
from kcmab_abm.market.visit import Visit

_WIDEST = 12  # arms whose means still fit on a line


class Narrator:
    """A watcher that writes one line about every customer."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._seen: dict[int, str] = {}

    def __call__(self, place: MarketPlace) -> list[Process]:
        """The processes that listen."""
        return [
            place.arrivals.listen(partial(self._look, place)),
            place.receipts.listen(partial(self._tell, place)),
        ]

    def _look(self, place: MarketPlace, visit: Visit) -> None:
        self._seen[visit.number] = describe_snapshot(snapshot_for(visit, place.view))

    def _tell(self, place: MarketPlace, visit: Visit) -> None:
        arrives = f"customer {visit.number} arrives at {visit.clock:.6g}"
        did = describe_action(visit, payment_to(place, visit))
        self._write(f"{arrives}, {self._seen.pop(visit.number)}; {did}")


def describe_snapshot(snapshot: Snapshot) -> str:
    """Describe what a customer sees."""
    target, offers, means = snapshot.target, snapshot.offers, snapshot.means
    if snapshot.seeded:
        return f"is sent to arm {target}, which nobody has reported on"
    shown = range(len(means)) if len(means) <= _WIDEST else {int(means.argmax()), target}
    listed = " ".join(f"{arm}:{means[arm]:.3f}" for arm in sorted(shown))
    offered = [target, *(arm for arm in range(len(means)) if arm != target)]
    posted = [f"{offers[arm]:.3f} for arm {arm}" for arm in offered if offers[arm] != 0.0]
    if offers[target] < 0.0 and len(posted) == 1:
        return f"sees {listed} and arm {target} promoted for a fee of {-offers[target]:.3f}"
    if offers[target] > 0.0 and len(posted) == 1:
        return f"sees {listed} and {offers[target]:.3f} offered for arm {target}"
    if posted:
        return f"sees {listed}, arm {target} promoted, and offers of {', '.join(posted)}"
    return f"sees {listed} and arm {target} promoted for nothing"


def payment_to(place: MarketPlace, visit: Visit) -> float:
    """The payment to a customer, or the seeding cost."""
    return place.scenario.market.seeding_cost if visit.seeded else visit.payment


def describe_action(visit: Visit, paid: float) -> str:
    """Describe what a customer does; `paid` is what the controller pays her."""
    wait = f"waits {visit.wait:.3g}, " if visit.wait else ""
    if visit.arm < 0:
        return f"{wait}leaves"
    refuses = "" if visit.arm == visit.target else "refuses, "
    payment = f"is paid {paid:.3f}" if paid > 0.0 else "is paid nothing"
    if paid < 0.0:
        payment = f"pays {-paid:.3f}"
    return f"{wait}{refuses}takes arm {visit.arm}, earns {visit.reward:.3g}, {payment}"
