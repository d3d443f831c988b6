"""Verdicts on the paper's claims, at the paper's own number of runs and at as many as they need.

A claim holds if its interval lies above 0, does not hold if it lies below, and is inconclusive
otherwise. All intervals hold simultaneously with probability 1 - `FAMILY_ERROR` (Bonferroni over
claims and laws), however many runs have been made when one looks: those of inconclusive claims are
continued until their interval leaves 0 or the ceiling is reached. They allow for runs that lock in:
those seen, and, in the policies compared, those not seen yet (`results/rare_runs.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from kcmab_abm.paper.claims import CLAIMS, Claim, Every
from kcmab_abm.results.lock_in import settling_cost
from kcmab_abm.results.rare_runs import mean_limits
from kcmab_abm.results.results import Results
from kcmab_abm.running.experiment import simulate
from kcmab_abm.running.options import Progress
from kcmab_abm.running.shared_runs import SharedRuns
from kcmab_abm.scenario.precision import Finals, Precision, Standing
from kcmab_abm.scenario.scenario import Scenario

Verdict = Literal["holds", "does not hold", "inconclusive"]

FAMILY_ERROR = 0.01
LARGEST_RATIO = 1e3


@dataclass(frozen=True)
class Finding:
    """The measurement of a claim under one reward law with a number of runs.

    Where a claim is about a factor, `ratio` is that of the two means, with its limits.
    """

    claim: Claim
    law: str
    runs: int
    mean: float
    low: float
    high: float
    ratio: tuple[float, float, float] | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict that follows from the interval."""
        if self.low > 0.0:
            return "holds"
        return "does not hold" if self.high < 0.0 else "inconclusive"


@dataclass(frozen=True)
class Judgement:
    """The findings on a claim under one law, with the paper's runs and with as many as it needs."""

    first: Finding
    decided: Finding | None = None  # if the first was inconclusive and there may be more runs

    @property
    def last(self) -> Finding:
        """The finding with the most runs."""
        return self.decided or self.first


@dataclass(frozen=True)
class Decision(Precision):
    """A precision that is reached as soon as the interval of a claim does not contain 0."""

    claim: Claim
    scenario: Scenario

    def finding(self, law: str, runs: Every) -> Finding:
        """Return the finding of a claim with its interval."""
        mean, low, high = self.interval(runs, self.claim.factor)
        count = len(next(iter(runs.values())))
        ratio = self._ratio(runs) if self.claim.factor != 1.0 else None
        return Finding(self.claim, law, count, mean, low, high, ratio)

    def interval(self, runs: Every, factor: float) -> tuple[float, float, float]:
        """Return the mean of the claim's quantity with its limits, for some factor."""
        claim, horizon = self.claim, self.scenario.horizon
        if claim.measure:
            low, high = (runs[label].final(claim.measure) for label in claim.policies)
            values = factor * high - low
        else:
            values = claim.advantage(runs, self.scenario)
        rare = np.any([runs[label].locked_in(horizon) for label in claim.policies], axis=0)
        unseen = settling_cost(self.scenario) if claim.measure == "regret" else 0.0
        count = len(values)
        # Each doubling of the runs has a smaller share of the error: they add up to all of it.
        doublings = math.floor(math.log2(count / self.first))
        alpha = self.alpha / ((doublings + 1) * (doublings + 2))
        errors = self.deviations(count) * math.sqrt(count)
        limits = mean_limits(
            values, rare, 1.0 - alpha, more=factor * unseen, less=unseen, errors=errors
        )
        return float(values.mean()), *limits

    def _ratio(self, runs: Every) -> tuple[float, float, float]:
        """The ratio of the two means, and all factors for which the claim is inconclusive."""
        low, high = (runs[label].final(self.claim.measure).mean() for label in self.claim.policies)

        def limit(place: int) -> float:
            def edge(factor: float) -> float:
                return self.interval(runs, factor)[place]

            if edge(LARGEST_RATIO) <= 0.0:
                return math.inf
            return 0.0 if edge(0.0) >= 0.0 else float(brentq(edge, 0.0, LARGEST_RATIO, xtol=1e-6))

        return (float(low / high) if high > 0.0 else math.inf), limit(2), limit(1)

    def _standing(self, label: str, other: str | None, runs: Mapping[str, Finals]) -> Standing:
        mean, low, high = self.interval(runs, self.claim.factor)  # type: ignore[arg-type]
        width = mean - low if mean > 0.0 else high - mean
        count = len(runs[label].final("regret"))
        reached = low > 0.0 or high < 0.0
        return Standing(
            label, other, "regret", mean, width, abs(mean), reached, count, self.confidence
        )


def decision(claim: Claim, scenario: Scenario, claims: int, ceiling: int) -> Decision:
    """The rule by which a claim is decided, as one of a number of claims."""
    return Decision(
        measure=claim.measure or "regret",
        of=((claim.policies[0], None),),
        half_width=None,
        relative=1.0,
        confidence=1.0 - FAMILY_ERROR / claims,
        first=scenario.replications,
        ceiling=ceiling,
        claim=claim,
        scenario=scenario,
    )


def judge(
    results: dict[str, Results],
    ceiling: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
    shared: Mapping[str, SharedRuns] | None = None,
) -> list[Judgement]:
    """Test every claim under every law; continue what is inconclusive up to `ceiling` runs.

    Runs that are `shared` are not made again, neither the first ones nor those of other claims.
    """
    journals = shared or {law: SharedRuns() for law in results}
    count = len(CLAIMS) * len(results)
    judgements = []
    for claim in CLAIMS:
        for law, each in results.items():
            rule = decision(claim, each.scenario, count, max(ceiling, each.replications))
            first = rule.finding(law, each.runs)
            decided = None
            if first.verdict == "inconclusive" and ceiling > each.replications:
                decided = _decided(rule, law, jobs, progress, journals[law])
            judgements.append(Judgement(first, decided))
    return judgements


def _decided(
    rule: Decision, law: str, jobs: int | None, progress: Progress | None, journal: SharedRuns
) -> Finding:
    """Run the policies of a claim until it is decided."""
    scenario = rule.scenario
    kept = tuple(each for each in scenario.policies if each.label in rule.claim.policies)
    longer = replace(scenario, policies=kept, precision=rule)
    found = simulate(longer, jobs=jobs, progress=progress, journal=journal)
    return rule.finding(law, found.runs)
