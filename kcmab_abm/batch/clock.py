"""The clock of a replication in which reports come later than the choice."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.pending import Pending
from kcmab_abm.model.streams import restart
from kcmab_abm.model.timing import Timing, next_arrival


class ClockStreams(NamedTuple):
    """The generators of arrivals and durations, with the state words that restart them."""

    arrivals: np.random.Generator
    arrivals_words: NDArray[np.uint64]
    durations: np.random.Generator
    durations_words: NDArray[np.uint64]


class Clock(NamedTuple):
    """The arrival time of the next customer, and the reports that are still to come.

    `times[0]` is the arrival time in the ledger; `times[1]` is that in the market, which adds up
    the times between arrivals, with rounding.
    """

    times: NDArray[np.float64]
    pending: Pending


def open_clock(
    timing: Timing, clock: Clock, streams: ClockStreams, keys: NDArray[np.uint64]
) -> None:
    """Let the first customer of a replication arrive; the keys of the streams are the last two."""
    restart(streams.arrivals_words, streams.arrivals, keys[-2])
    restart(streams.durations_words, streams.durations, keys[-1])
    clock.pending.size[0] = 0
    clock.times[0] = 0.0
    clock.times[1] = 0.0
    move_clock(timing, clock, streams, 1)


def move_clock(timing: Timing, clock: Clock, streams: ClockStreams, customer: int) -> None:
    """Move the clock to the arrival of this customer."""
    arrival = next_arrival(timing, customer, float(clock.times[0]), streams.arrivals)
    clock.times[1] += arrival - clock.times[0]
    clock.times[0] = arrival
