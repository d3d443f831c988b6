"""Run until precise: how wide the interval of a mean is, and how many more replications it needs.

The interval may be looked at as often as one likes. After n replications it is

    mean +- s_n sqrt(2 (n rho^2 + 1) / (n rho)^2 log(sqrt(n rho^2 + 1) / alpha)),

the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024, Annals
of Statistics 52(6)) with Robbins' normal mixture as its boundary. Where S_n is a sum of n standard
normal values, exp(lambda S_n - n lambda^2 / 2), averaged over a normal lambda of deviation rho, is
a martingale that starts at 1. By Ville's inequality the chance that it ever exceeds 1 / alpha is at
most alpha; solved for S_n / n, this is the width. For other laws, and with the estimated deviation
s_n, this holds in the limit of many first replications.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import lambertw

from kcmab_abm.catalogue import unknown
from kcmab_abm.shapes import LARGEST_REPLICATIONS

FEWEST = 100  # first replications: what one run in twenty shows goes unseen in 1 of 170 samples
FARTHEST = 100  # times the first replications: the ceiling, unless one is given
TIGHTEST = 5  # times the first replications: where no other rho gives a narrower interval
_MOST_PLACES = 12  # after the point


class Standing(NamedTuple):
    """How precise the mean of a policy is, or of the difference to another one."""

    policy: str
    other: str | None
    measure: str
    mean: float
    half_width: float
    wanted: float
    reached: bool
    replications: int
    confidence: float

    @property
    def name(self) -> str:
        """The policy, or the difference of two."""
        return self.policy if self.other is None else f"{self.policy} - {self.other}"

    @property
    def lacking(self) -> float:
        """How many times too wide the interval is."""
        if self.half_width == 0.0:
            return 0.0
        return self.half_width / self.wanted if self.wanted > 0.0 else math.inf

    def __str__(self) -> str:
        scale = math.log10(self.wanted or self.half_width or 1.0)
        places = min(max(2, 1 - math.floor(scale)), _MOST_PLACES)
        mean, width, wanted = (
            f"{value:.{places}f}" for value in (self.mean, self.half_width, self.wanted)
        )
        return (
            f"{'' if self.reached else 'not reached: '}{self.measure.replace('_', ' ')} of "
            f"{self.name}: {mean} ± {width} ({100 * self.confidence:g} %, valid at any stopping "
            f"time), asked {wanted}, after {'' if self.reached else 'the ceiling of '}"
            f"{self.replications:,} runs"
        )


Watch = Callable[[Sequence[Standing]], None]


class Finals(Protocol):
    """Whatever knows where its replications ended."""

    def final(self, measure: str) -> NDArray[np.float64]:
        """The measure at the end of every replication."""


@dataclass(frozen=True)
class Precision:
    """How precise a measure is to be: of each policy, or of the difference between two.

    Either half the width of the interval is given, or its share of the mean. The confidence is that
    of all policies together. `first` replications are run before the first look, `ceiling` of them
    at most.
    """

    measure: str
    of: tuple[tuple[str, str | None], ...]
    half_width: float | None
    relative: float | None
    confidence: float
    first: int
    ceiling: int

    @cached_property
    def alpha(self) -> float:
        """The chance of an error that is left for each policy (Bonferroni)."""
        return (1.0 - self.confidence) / len(self.of)

    @cached_property
    def rho(self) -> float:
        """The parameter of the mixture, fixed before anything is run."""
        # x = n rho^2 is best where x = log(1 + x) - 2 log(alpha).
        best = -float(lambertw(-(self.alpha**2) / math.e, -1).real) - 1.0
        return math.sqrt(best / (TIGHTEST * self.first))

    def deviations(self, count: int) -> float:
        """Half the width after `count` replications, in standard deviations of one."""
        growth = count * self.rho**2 + 1.0
        return math.sqrt(2.0 * growth * math.log(math.sqrt(growth) / self.alpha)) / (
            count * self.rho
        )

    def look(self, runs: Mapping[str, Finals]) -> list[Standing]:
        """Where all policies stand that have to be precise."""
        return [self._standing(label, other, runs) for label, other in self.of]

    def needed(self, standings: Sequence[Standing]) -> int:
        """The replications that would be enough if deviations stayed as they are."""
        return max(self._needed(each) for each in standings)

    def following(self, standings: Sequence[Standing]) -> int:
        """The replications at the next look: a tenth more at least, twice as many at most."""
        count = standings[0].replications
        return min(max(-(-11 * count // 10), min(2 * count, self.needed(standings))), self.ceiling)

    def _standing(self, label: str, other: str | None, runs: Mapping[str, Finals]) -> Standing:
        values = runs[label].final(self.measure)
        if other is not None:
            values = values - runs[other].final(self.measure)
        count, mean = len(values), float(values.mean())
        width = float(values.std(ddof=1)) * self.deviations(count)
        wanted = self.half_width if self.relative is None else self.relative * abs(mean)
        assert wanted is not None
        reached = width <= wanted
        return Standing(
            label, other, self.measure, mean, width, wanted, reached, count, self.confidence
        )

    def _needed(self, standing: Standing) -> int:
        count = standing.replications
        if standing.reached:
            return count
        enough = self.deviations(count) / standing.lacking
        more = range(count, self.ceiling)
        return count + bisect_left(more, True, key=lambda each: self.deviations(each) <= enough)


def standing_table(standings: Sequence[Standing]) -> pd.DataFrame:
    """One row a policy, or one for the difference of two."""
    return pd.DataFrame(standings, columns=list(Standing._fields))


def make_precision(
    data: Mapping[str, Any], labels: Sequence[str], problems: list[str]
) -> Precision | None:
    """The precision that a scenario with these policies asks for, if it does."""
    given = data.get("precision")
    if given is None:
        return None
    first = data["replications"]
    between = given.get("between")
    ceiling = given.get("ceiling", min(FARTHEST * first, LARGEST_REPLICATIONS))
    problems.extend(_faults(given, first, ceiling, labels))
    return Precision(
        measure=given["measure"],
        of=tuple((label, None) for label in labels) if between is None else (tuple(between),),
        half_width=given.get("half_width"),
        relative=given.get("relative"),
        confidence=given["confidence"],
        first=first,
        ceiling=ceiling,
    )


def _faults(given: Mapping[str, Any], first: int, ceiling: int, labels: Sequence[str]) -> list[str]:
    found = []
    ways = [word for word in ("half_width", "relative") if word in given]
    if len(ways) != 1:
        found.append(f"precision: give half_width or relative, got {'both' if ways else 'neither'}")
    if first < FEWEST:
        found.append(
            f"replications: must be >= {FEWEST} to begin with where there is a precision, "
            f"got {first}"
        )
    if ceiling < first:
        found.append(f"precision.ceiling: must be >= replications ({first}), got {ceiling}")
    between = given.get("between", ())
    found.extend(
        f"precision.between: {unknown('policy labelled', label, list(labels))}"
        for label in between
        if label not in labels
    )
    if len(set(between)) < len(between):
        found.append(f"precision.between: must be two policies, got {between[0]!r} twice")
    return found
