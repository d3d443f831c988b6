"""Arrival times and durations, drawn by the same functions in both engines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

CONSTANT, EXPONENTIAL, UNIFORM = 0, 1, 2
SLOTS, POISSON, TRACE = 0, 1, 2


class Span(NamedTuple):
    """The law of a duration: `shortest`, plus `spread` times a draw unless it is constant."""

    kind: int
    shortest: float
    spread: float = 0.0


class Timing(NamedTuple):
    """When customers arrive, and how long they consume and report.

    `gap` is the mean time between the arrivals of a Poisson process, `times` are those of a trace.
    """

    process: int
    gap: float
    times: NDArray[np.float64]
    service: Span
    delay: Span


def draw_duration(span: Span, rng: Generator) -> float:
    """Draw the duration of one customer."""
    if span.kind == EXPONENTIAL:
        return span.shortest + span.spread * rng.standard_exponential()
    if span.kind == UNIFORM:
        return span.shortest + span.spread * rng.random()
    return span.shortest


def next_arrival(timing: Timing, customer: int, before: float, rng: Generator) -> float:
    """The arrival time of a customer, given that of the customer before her."""
    if timing.process == POISSON:
        return before + timing.gap * rng.standard_exponential()
    if timing.process == TRACE:
        return float(timing.times[customer - 1])
    return float(customer)
