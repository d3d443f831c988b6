"""The paper's claims about its experiments, and what the measurements say of each.

A claim is turned into a number for every run whose expectation the claim says to be positive: the
difference between two policies on the same tapes, or the distance to a bound. All intervals hold at
once with probability 1 - `FAMILY_ERROR` (Bonferroni over all claims and laws). A claim holds if its
interval lies above 0, does not hold if it lies below, and cannot be told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.measures import Runs, half_width, standard_error
from kcmab_abm.paper.study import GREEDY, MODIFIED_TS, TS, UCB, epsilon_label
from kcmab_abm.results import Results
from kcmab_abm.theory.bounds import (
    modified_epsilon_greedy_compensation_bound,
    ucb_compensation_bound,
)
from kcmab_abm.trajectory import CURVES

Floats = NDArray[np.float64]
Verdict = Literal["holds", "does not hold", "cannot be told"]

FAMILY_ERROR = 0.01
SLIGHTLY = 1.5  # "slightly larger" is read as: at most half as much again


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and the number for every run that it says to be positive."""

    where: str
    text: str
    advantage: Callable[[Results], Floats]


@dataclass(frozen=True)
class Finding:
    """What was measured of a claim under one reward law."""

    claim: Claim
    law: str
    mean: float
    low: float
    high: float

    @property
    def verdict(self) -> Verdict:
        """What the interval says of the claim."""
        if self.low > 0.0:
            return "holds"
        return "does not hold" if self.high < 0.0 else "cannot be told"


def less(measure: str, low: str, high: str, where: str, factor: float = 1.0) -> Claim:
    """One policy has less of something than another (or than a multiple of it)."""
    times = "" if factor == 1.0 else f"{factor:g} times "
    return Claim(
        where,
        f"{low} has less {measure} than {times}{high}",
        lambda results: (
            factor * results.runs[high].final(measure) - results.runs[low].final(measure)
        ),
    )


def _linear(results: Results) -> Floats:
    """Greedy's regret in the second half of the customers, less half of the first half's."""
    runs = results.runs[GREEDY]
    half = _at(runs, results, results.scenario.horizon // 2)
    return (runs.final("regret") - half) - 0.5 * half


def _at(runs: Runs, results: Results, customer: int) -> Floats:
    place = int(np.searchsorted(results.checkpoints, customer))
    values: Floats = runs.curves[:, place, CURVES.index("regret")]
    return values


def _below_ucb_bound(results: Results) -> Floats:
    scenario = results.scenario
    bound = ucb_compensation_bound(scenario.market.arms, scenario.horizon)
    return bound - results.runs[UCB].final("compensation")


def _below_epsilon_bound(results: Results) -> Floats:
    scenario = results.scenario
    bound = modified_epsilon_greedy_compensation_bound(scenario.market.arms, scenario.horizon, 20.0)
    return bound - results.runs[epsilon_label(20)].final("compensation")


_20, _15, _10 = epsilon_label(20), epsilon_label(15), epsilon_label(10)

CLAIMS = (
    less("regret", MODIFIED_TS, UCB, "Figure 1"),
    less("regret", MODIFIED_TS, _20, "Figure 1"),
    less("compensation", MODIFIED_TS, UCB, "Figure 1"),
    less("compensation", MODIFIED_TS, _20, "Figure 1"),
    less("regret", _20, MODIFIED_TS, "Section 1.2, 'slightly larger'", SLIGHTLY),
    less("compensation", _20, MODIFIED_TS, "Section 1.2, 'slightly larger'", SLIGHTLY),
    less("regret", MODIFIED_TS, TS, "Figure 2"),
    less("compensation", MODIFIED_TS, TS, "Figure 2"),
    less("compensation", _10, _15, "Figure 3"),
    less("compensation", _15, _20, "Figure 3"),
    less("regret", _15, _10, "Figure 3"),
    less("regret", _20, _15, "Figure 3"),
    Claim(
        "Section 1, 'linear regret'",
        "greedy's regret goes on growing: half of the first half's, or more, in the second",
        _linear,
    ),
    Claim("Theorem 2", "ucb's compensation is below the bound", _below_ucb_bound),
    Claim("Theorem 3 as printed", f"{_20}: compensation is below the bound", _below_epsilon_bound),
)


def judge(results: dict[str, Results]) -> list[Finding]:
    """Every claim under every law, with intervals that hold all at once."""
    confidence = 1.0 - FAMILY_ERROR / (len(CLAIMS) * len(results))
    findings = []
    for claim in CLAIMS:
        for law, each in results.items():
            values = claim.advantage(each)
            mean = float(values.mean())
            width = half_width(standard_error(values), len(values), confidence)
            findings.append(Finding(claim, law, mean, float(mean - width), float(mean + width)))
    return findings
