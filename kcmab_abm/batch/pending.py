"""The reports that have not arrived yet, in the order in which the market records them.

Its events take place in order of time; those at the same time, in the order in which they were
scheduled. A report is scheduled when the last wait before it begins: at the end of the service, or
at the customer's arrival if only one of service time and delay is positive. Waits that begin at the
same time are scheduled in order of arrival. So reports are sorted by the time when they are `due`,
the time `since` when they have been scheduled, and the customer's number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Pending(NamedTuple):
    """A binary heap of the first `size[0]` entries: none comes before its parent."""

    size: NDArray[np.int64]
    due: NDArray[np.float64]
    since: NDArray[np.float64]
    customers: NDArray[np.int64]
    arms: NDArray[np.int64]
    told: NDArray[np.float64]


def room_for(reports: int, before: Pending | None = None) -> Pending:
    """An empty heap with room for so many reports, or one with those of the heap `before`."""
    room = Pending(
        size=np.zeros(1, np.int64),
        due=np.empty(reports),
        since=np.empty(reports),
        customers=np.empty(reports, np.int64),
        arms=np.empty(reports, np.int64),
        told=np.empty(reports),
    )
    if before is not None:
        count = before.size[0]
        room.size[0] = count
        for new, old in zip(room[1:], before[1:], strict=True):
            new[:count] = old[:count]
    return room


def add_report(
    pending: Pending, now: float, service: float, delay: float, customer: int, arm: int, told: float
) -> None:
    """Add the report of a customer who arrived just now."""
    served = now + service
    due = served + delay
    since = served if delay > 0.0 else now
    place = pending.size[0]
    pending.size[0] += 1
    while place > 0:
        parent = (place - 1) >> 1
        if not is_before(due, since, customer, pending, parent):
            break
        copy_report(pending, parent, place)
        place = parent
    pending.due[place] = due
    pending.since[place] = since
    pending.customers[place] = customer
    pending.arms[place] = arm
    pending.told[place] = told


def next_report(pending: Pending, until: float) -> tuple[int, int, float]:
    """Remove the first report due at `until` or before: customer (0 if none), arm and report."""
    if pending.size[0] == 0 or pending.due[0] > until:
        return 0, 0, 0.0
    first = int(pending.customers[0]), int(pending.arms[0]), float(pending.told[0])
    pending.size[0] -= 1
    last = pending.size[0]
    due, since, customer = pending.due[last], pending.since[last], pending.customers[last]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= last:
            break
        other = child + 1
        if other < last and is_before(
            pending.due[other], pending.since[other], pending.customers[other], pending, child
        ):
            child = other
        if is_before(due, since, customer, pending, child):
            break
        copy_report(pending, child, place)
        place = child
    copy_report(pending, last, place)
    return first


def is_before(due: float, since: float, customer: int, pending: Pending, place: int) -> bool:
    """True if this report is recorded before the one at `place`."""
    if due != pending.due[place]:
        return bool(due < pending.due[place])
    if since != pending.since[place]:
        return bool(since < pending.since[place])
    return bool(customer < pending.customers[place])


def copy_report(pending: Pending, place: int, to: int) -> None:
    """Copy the report at `place` to another place."""
    pending.due[to] = pending.due[place]
    pending.since[to] = pending.since[place]
    pending.customers[to] = pending.customers[place]
    pending.arms[to] = pending.arms[place]
    pending.told[to] = pending.told[place]
