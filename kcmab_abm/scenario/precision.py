"""Precision: intervals of means, and the replications needed to make them narrow enough.

The interval is valid at any number of looks. After n replications it is

    mean +- s_n sqrt(2 (n rho^2 + 1) / (n rho)^2 log(sqrt(n rho^2 + 1) / alpha)),

the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024, Annals
of Statistics 52(6)) with Robbins' normal mixture as its boundary. Let S_n be a sum of n standard
normal values. Then exp(lambda S_n - n lambda^2 / 2), averaged over a normal lambda with standard
deviation rho, is a martingale that starts at 1. By Ville's inequality it ever exceeds 1 / alpha
with probability at most alpha; solved for S_n / n, this gives the width. For other laws, and with
the estimated deviation s_n, this holds asymptotically in the number of first replications.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field
from scipy.special import lambertw

from kcmab_abm.catalogue.entries import Settings
from kcmab_abm.catalogue.registry import unknown
from kcmab_abm.errors import ScenarioError
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.scenario.fields import LARGEST_AMOUNT, LARGEST_REPLICATIONS, Replications

FEWEST = 100  # first replications: they miss an event of probability 0.05 once in 170 times
FARTHEST = 100  # times the first replications: the default ceiling
TIGHTEST = 5  # times the first replications: the count for which rho is optimal
_MOST_PLACES = 12  # after the decimal point


class Standing(NamedTuple):
    """The precision reached for the mean of a policy, or of the difference to another one.

    Attributes
    ----------
    policy : str
        The label of the policy.
    other : str or None
        The label of the policy subtracted, if the mean is of a difference.
    measure : str
        The measure, such as "regret".
    mean, half_width : float
        The mean and half the width of its interval.
    wanted : float
        The half width asked for.
    reached : bool
        True if the interval is narrow enough.
    replications : int
        The number of replications so far.
    confidence : float
        The joint confidence of all intervals.
    """

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
        """The policy, or the difference of two policies."""
        return self.policy if self.other is None else f"{self.policy} - {self.other}"

    @property
    def lacking(self) -> float:
        """The width of the interval as a multiple of the width asked for."""
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
    """An object with final values of all replications."""

    def final(self, measure: str) -> NDArray[np.float64]:
        """Return the measure at the end of every replication."""


@dataclass(frozen=True)
class Precision:
    """The precision asked for, of a measure of each policy or of the difference between two.

    Either `half_width` or `relative`, a share of the mean, is given. The confidence is joint for
    all policies. At least `first` and at most `ceiling` replications are run.
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
        """The error probability of each interval (Bonferroni)."""
        return (1.0 - self.confidence) / len(self.of)

    @cached_property
    def rho(self) -> float:
        """The parameter of the mixture, fixed in advance."""
        # The interval is narrowest for x = n rho^2 where x = log(1 + x) - 2 log(alpha).
        best = -float(lambertw(-(self.alpha**2) / math.e, -1).real) - 1.0
        return math.sqrt(best / (TIGHTEST * self.first))

    def deviations(self, count: int) -> float:
        """Return the half width after `count` replications, in units of s_n."""
        growth = count * self.rho**2 + 1.0
        return math.sqrt(2.0 * growth * math.log(math.sqrt(growth) / self.alpha)) / (
            count * self.rho
        )

    def look(self, runs: Mapping[str, Finals]) -> list[Standing]:
        """Return the precision reached for all intervals."""
        return [self._standing(label, other, runs) for label, other in self.of]

    def needed(self, standings: Sequence[Standing]) -> int:
        """Return the number of replications needed if standard deviations do not change."""
        return max(self._needed(each) for each in standings)

    def following(self, standings: Sequence[Standing]) -> int:
        """Return the number of replications at the next look, 1.1 to 2 times as many."""
        count = standings[0].replications
        return min(max(-(-11 * count // 10), min(2 * count, self.needed(standings))), self.ceiling)

    def further(
        self, runs: Mapping[str, Finals], watch: Watch | None = None
    ) -> Iterator[tuple[int, int, int]]:
        """Yield stretches of replications until all intervals are narrow enough.

        Each is given by its first replication, the one after its last, and the number of
        replications needed. It must be complete before the next is asked for.
        """
        while True:
            standings = self.look(runs)
            if watch is not None:
                watch(standings)
            count = standings[0].replications
            if all(each.reached for each in standings) or count >= self.ceiling:
                return
            yield count, self.following(standings), self.needed(standings)

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
    """Return a table with one row per interval."""
    return pd.DataFrame(standings, columns=list(Standing._fields))


class PrecisionTable(Settings):
    """The precision of means up to which replications are added."""

    measure: str = Field(description="measure at the horizon whose mean is to be precise")
    half_width: float | None = Field(
        None, gt=0, le=LARGEST_AMOUNT, description="half the width of the interval"
    )
    relative: float | None = Field(
        None, gt=0, le=1, description="half the width of the interval, as a share of the mean"
    )
    between: list[str] | None = Field(
        None,
        min_length=2,
        max_length=2,
        description="labels of two policies whose difference is to be precise; by default every "
        "policy by itself",
    )
    confidence: float = Field(0.95, ge=0.5, lt=1, description="joint confidence of all intervals")
    ceiling: Replications | None = Field(
        None, description="largest number of replications; by default 100 times the first ones"
    )

    def build(self, first: int, labels: Sequence[str], measures: Sequence[str] = ()) -> Precision:
        """Return the precision of a scenario that starts with `first` replications.

        `measures` are the scenario's own.
        """
        ceiling = self.ceiling or min(FARTHEST * first, LARGEST_REPLICATIONS)
        if found := [*self._faults(first, ceiling, labels, [*CURVES, *measures])]:
            raise ScenarioError(found)
        pairs = [(label, None) for label in labels]
        return Precision(
            measure=self.measure,
            of=tuple(pairs) if self.between is None else ((self.between[0], self.between[1]),),
            half_width=self.half_width,
            relative=self.relative,
            confidence=self.confidence,
            first=first,
            ceiling=ceiling,
        )

    def _faults(
        self, first: int, ceiling: int, labels: Sequence[str], measures: list[str]
    ) -> Iterator[str]:
        if self.measure not in measures:
            yield f"precision.measure: {unknown('measure', self.measure[:60], measures)}"
        if (self.half_width is None) == (self.relative is None):
            got = "neither" if self.relative is None else "both"
            yield f"precision: give half_width or relative, got {got}"
        if first < FEWEST:
            yield (
                f"replications: must be >= {FEWEST} to begin with where there is a precision, "
                f"got {first}"
            )
        if ceiling < first:
            yield f"precision.ceiling: must be >= replications ({first}), got {ceiling}"
        between = self.between or []
        for label in between:
            if label not in labels:
                words = unknown("policy labelled", label[:60], list(labels))
                yield f"precision.between: {words}"
        if len(set(between)) < len(between):
            yield f"precision.between: must be two policies, got {between[0]!r} twice"
