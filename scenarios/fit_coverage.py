"""How often the intervals of fits cover the truth: tables for docs/theory/fitting.md.

Run it from the root of the repository: python scenarios/fit_coverage.py --sets 400
"""

from __future__ import annotations

import argparse
import math
from typing import Any, NamedTuple

import kcmab_abm as kcmab


class Case(NamedTuple):
    """Customers, and the behaviour that is fitted to their choices."""

    customers: dict[str, Any]
    behaviour: Any
    truth: dict[str, float]
    choices: int = 500


LOGIT = {"rule": "logit", "tau": 0.1}
CASES = {
    "logit": Case({"behaviour": "logit", "tau": 0.1}, "logit", {"tau": 0.1}),
    "optimism": Case(
        {"behaviour": "optimism", "kappa": 0.5, "decision": LOGIT},
        "optimism",
        {"kappa": 0.5, "tau": 0.1},
    ),
    "recency": Case(
        {"behaviour": "recency", "window": 25, "decision": {"rule": "logit", "tau": 0.25}},
        {"behaviour": "recency", "discount": 1.0},
        {"window": 25.0, "tau": 0.25},
        400,
    ),
}


def fitted(case: Case, replication: int) -> kcmab.Fit:
    """The fit to one simulated data set."""
    market = {
        "arms": {"law": "bernoulli", "means": [0.7, 0.5, 0.4]},
        "customers": case.customers,
    }
    settings = {
        "horizon": case.choices + 3,
        "seed": 17,
        "market": market,
        "policy": [{"name": "ucb"}],
    }
    scenario = kcmab.make_scenario(settings)
    run = kcmab.play(scenario, replication=replication, engine="market")
    return kcmab.fit(run, case.behaviour, scenario=scenario, replications=[replication])


def covered(case: Case, sets: int, first: int = 0) -> dict[str, tuple[int, float, float]]:
    """For each parameter, how many intervals cover the truth, and mean and spread of estimates."""
    fits = [fitted(case, first + replication) for replication in range(sets)]
    found = {}
    for word, truth in case.truth.items():
        hits = sum(low <= truth <= high for low, high in (each.intervals[word] for each in fits))
        values = [each.parameters[word] for each in fits]
        mean = math.fsum(values) / sets
        spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / max(sets - 1, 1))
        found[word] = hits, mean, spread
    return found


def main() -> None:
    """Print one row per parameter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=400, help="data sets per behaviour")
    parser.add_argument("--case", choices=CASES, action="append", help="default: all")
    given = parser.parse_args()
    print("behaviour  parameter  truth  mean    spread  covered")
    for name in given.case or CASES:
        for word, (hits, mean, spread) in covered(CASES[name], given.sets).items():
            truth = CASES[name].truth[word]
            share = f"{hits}/{given.sets} = {hits / given.sets:.1%}"
            row = f"{name:10} {word:10} {truth:<6g} {mean:<7.4g} {spread:<7.3g} {share}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
