"""Arrival processes: time slots, a Poisson process, or the times listed in a file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from pydantic import Field

from kcmab_abm.catalogue.entries import Settings
from kcmab_abm.model.timing import POISSON, SLOTS, TRACE
from kcmab_abm.scenario.columns import LARGEST_FILE, read_columns
from kcmab_abm.scenario.fields import LARGEST_AMOUNT, built_once
from kcmab_abm.scenario.reading import Unreadable, read_text


@dataclass(frozen=True)
class Arrivals:
    """An arrival process with its parameters."""

    process: str = "slots"
    rate: float = 1.0
    times: tuple[float, ...] = field(default=(), repr=False)

    @property
    def number(self) -> int:
        """The number of the process, for the engines."""
        return {"slots": SLOTS, "poisson": POISSON, "trace": TRACE}[self.process]

    def clock(
        self, customers: int, rng: Generator, served: int = 0, now: float = 0.0
    ) -> NDArray[np.float64]:
        """Return the arrival times of customers who follow `served` others, the last at `now`."""
        if self.process == "poisson":
            waits = rng.exponential(1.0 / self.rate, customers)
            waits[0] += now
            return np.cumsum(waits)
        if self.process == "trace":
            return np.array(self.times[served : served + customers])
        return np.arange(served + 1.0, served + customers + 1.0)


class Process(Settings):
    """An arrival process that reads no file."""

    process: str

    def build(self, folder: Path, horizon: int) -> Arrivals:
        """Return the process for the engines."""
        return Arrivals(**dict(self))


class Slots(Process):
    """One customer per time slot, at 1, 2, 3, ..."""

    process: Literal["slots"]


class Poisson(Process):
    """A Poisson process with `rate` customers per time unit on average."""

    process: Literal["poisson"]
    rate: float = Field(
        1.0, ge=1 / LARGEST_AMOUNT, le=LARGEST_AMOUNT, description="customers per time unit"
    )


class Trace(Settings):
    """Arrival times from a file, in non-decreasing order."""

    process: Literal["trace"]
    file: str = Field(min_length=1, description="path, relative to the scenario file")
    time: str | None = Field(
        None,
        min_length=1,
        description="the column with the times, if the file is CSV or Parquet; otherwise it has "
        "one time per line",
    )

    def build(self, folder: Path, horizon: int) -> Arrivals:
        """Return the process for the engines; raise a ValueError if the file is unusable."""
        times = self._times(folder)
        if len(times) < horizon:
            raise ValueError(
                f"{str(folder / self.file)!r}: must hold at least {horizon} times (the horizon), "
                f"got {len(times)}"
            )
        return Arrivals(self.process, times=times)

    @built_once
    def _times(self, folder: Path) -> tuple[float, ...]:
        path = folder / self.file
        if self.time is not None:
            column = read_columns(folder, self.file, {self.time: float})[self.time].tolist()
        try:
            if self.time is not None:
                return tuple(_in_order("row", enumerate(column, 1)))
            return tuple(_in_order("line", _times_in(read_text(path, LARGEST_FILE))))
        except (Unreadable, ValueError) as error:
            raise ValueError(f"{str(path)!r}: {error}") from None


ArrivalsTable = Annotated[Slots | Poisson | Trace, Field(discriminator="process")]


def _times_in(text: str) -> Iterator[tuple[int, float]]:
    """Yield the number of each line and the arrival time in it."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield number, float(line)
        except ValueError:
            raise ValueError(
                f"line {number}: must be one arrival time, a number; got {line.strip()[:60]!r}"
            ) from None


def _in_order(place: str, times: Iterable[tuple[int, float]]) -> Iterator[float]:
    """Yield the numbered times; an error names the first one that is out of order."""
    before = 0.0
    for number, time in times:
        if not (math.isfinite(time) and time >= before):
            raise ValueError(
                f"{place} {number}: times must be finite, >= 0 and not decrease, got {time}"
            )
        before = time
        yield time
