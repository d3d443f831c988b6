"""Arms whose true means change: by jumps, as a random walk, or seasonally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from kcmab_abm.catalogue.entries import Settings, integral
from kcmab_abm.catalogue.registry import LAWS
from kcmab_abm.model.change import PIECEWISE, SEASONAL, STEADY, WALK, Changes
from kcmab_abm.scenario.fields import LARGEST_AMOUNT, LARGEST_HORIZON, Problems, Share

if TYPE_CHECKING:
    from kcmab_abm.scenario.world import Arm

    Arms = tuple[Arm, ...]

ROUNDING = 1e-12  # error of a mean computed from the parameters of a law
_CODES = {"none": STEADY, "piecewise": PIECEWISE, "random-walk": WALK, "seasonal": SEASONAL}


@dataclass(frozen=True)
class Change:
    """A change of the true means; they stay between `low` and `high`, which the laws allow."""

    kind: str = "none"
    at: tuple[int, ...] = ()
    means: tuple[tuple[float, ...], ...] = ()
    step: float = 0.0
    low: float = 0.0
    high: float = 1.0
    amplitude: float = 0.0
    period: float = 1.0
    phases: tuple[float, ...] = ()

    def arrays(self) -> Changes:
        """Return the change as both engines read it."""
        arms = len(self.means[0]) if self.means else 0
        return Changes(
            kind=_CODES[self.kind],
            at=np.array(self.at, np.int64),
            means=np.array(self.means, np.float64).reshape(len(self.at), arms),
            step=self.step,
            low=self.low,
            high=self.high,
            amplitude=self.amplitude,
            period=self.period,
            phases=np.array(self.phases, np.float64),
        )


class Piecewise(Settings):
    """Means that jump: they are `means[k]` from customer `at[k]` on."""

    kind: Literal["piecewise"]
    at: list[Annotated[int, Field(ge=2, le=LARGEST_HORIZON), integral]] = Field(
        min_length=1,
        description="numbers of the first customers with new means, in increasing order",
    )
    means: list[list[Share]] = Field(
        min_length=1, description="the new means of all arms, one list per entry of `at`"
    )

    def build(self, arms: Arms, problems: Problems) -> Change:
        """Return the change for the engines."""
        low, high = _range(arms)
        if any(one >= other for one, other in pairwise(self.at)):
            problems.add("market.change.at", f"must increase, got {self.at}")
        if len(self.means) != len(self.at):
            words = f"must have a list for each of the {len(self.at)} entries of at"
            problems.add("market.change.means", f"{words}, got {len(self.means)}")
        for number, means in enumerate(self.means):
            place = f"market.change.means[{number}]"
            check_count(place, means, arms, problems)
            for arm, mean in enumerate(means):
                if not low <= mean <= high:
                    words = f"must be from {low:g} to {high:g} for arms of this law"
                    problems.add(f"{place}[{arm}]", f"{words}, got {mean:g}")
        return Change(self.kind, at=tuple(self.at), means=tuple(map(tuple, self.means)))


class RandomWalk(Settings):
    """Means that follow a random walk between two walls, one step per customer."""

    kind: Literal["random-walk"]
    step: float = Field(gt=0, le=0.25, description="standard deviation of a step")
    low: Share = Field(0.0, description="the lower wall")
    high: Share = Field(1.0, description="the upper wall")

    def build(self, arms: Arms, problems: Problems) -> Change:
        """Return the change, with walls at the limits of the file and of the arms' laws."""
        low, high = _range(arms)
        low, high = max(low, self.low), min(high, self.high)
        if high - low < 2.0 * self.step:
            words = f"high - low must be at least 2 step = {2 * self.step:g}"
            problems.add("market.change", f"{words}, got {low:g} and {high:g}")
        for place, arm in enumerate(arms):
            least, most = arm.range
            if not low - ROUNDING <= least <= most <= high + ROUNDING:
                found = f"at {least:g}" if least == most else f"anywhere from {least:g} to {most:g}"
                words = f"arm {place} begins {found}, outside the walls {low:g} and {high:g}"
                problems.add("market.change", f"{words}; move the arm or the walls")
        return Change(self.kind, step=self.step, low=low, high=high)


class Seasonal(Settings):
    """Means that oscillate: mu_i + amplitude sin(2 pi (t / period + phase_i)), in [0, 1]."""

    kind: Literal["seasonal"]
    amplitude: Share = Field(description="largest distance of a mean from its start")
    period: float = Field(ge=2, le=LARGEST_AMOUNT, description="customers per season")
    phases: list[Share] | None = Field(
        None, description="phase of each arm, in seasons; evenly spread by default"
    )

    def build(self, arms: Arms, problems: Problems) -> Change:
        """Return the change for the engines."""
        low, high = _range(arms)
        phases = self.phases
        if phases is None:
            phases = [place / len(arms) for place in range(len(arms))]
        check_count("market.change.phases", phases, arms, problems)
        swing: dict[str, Any] = {"amplitude": self.amplitude, "period": self.period}
        return Change(self.kind, low=low, high=high, phases=tuple(phases), **swing)


ChangeTable = Annotated[Piecewise | RandomWalk | Seasonal, Field(discriminator="kind")]


def build_change(given: ChangeTable | None, arms: Arms, problems: Problems) -> Change:
    """Return the change of the means; a constant one if none is given."""
    if given is None:
        return Change()
    if stiff := sorted({arm.law.name for arm in arms if arm.law.move is None}):
        able = ", ".join(law.name for law in LAWS.values() if law.move is not None)
        words = f"arms of law {', '.join(stiff)} cannot change; use {able}"
        problems.add("market.change", words)
    return given.build(arms, problems)


def check_count(place: str, numbers: Sequence[float], arms: Arms, problems: Problems) -> None:
    """Report lists without exactly one entry per arm."""
    if len(numbers) != len(arms):
        words = f"must have one entry for each of the {len(arms)} arms"
        problems.add(place, f"{words}, got {len(numbers)}")


def _range(arms: Arms) -> tuple[float, float]:
    """Return the lowest and the highest mean that all arms can have."""
    return max(arm.law.within[0] for arm in arms), min(arm.law.within[1] for arm in arms)
