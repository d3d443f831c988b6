"""What runs that lock in on a wrong arm add to mean regret, with intervals that hold for few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from kcmab_abm.results.rare_runs import FEW, mean_limits
from kcmab_abm.results.statistics import Runs, half_width, standard_error
from kcmab_abm.scenario.scenario import Scenario

_CONFIDENCE = 0.95
_NARROW = 1.1  # what Student's interval has to be too narrow by, to be reported


def settling_cost(scenario: Scenario) -> float:
    """The regret of a run that settles on the second best arm at once.

    It is 0 if arms change or are drawn at random, where it is not known in advance.
    """
    if scenario.market.is_random or not scenario.market.is_steady:
        return 0.0
    gaps = scenario.market.gaps
    return float(min(gaps[gaps > 0.0], default=0.0)) * scenario.horizon


def has_few_locked_in(runs: Runs, scenario: Scenario, measure: str) -> bool:
    """Whether some runs locked in, but so few that Student's interval of regret is too narrow."""
    values, rare = runs.final(measure), runs.locked_in(scenario.horizon)
    if len(runs) < 2 or not 0 < int(rare.sum()) < FEW:
        return False
    width = float(half_width(standard_error(values), len(values), _CONFIDENCE))
    _, high = mean_limits(values, rare, _CONFIDENCE, more=settling_cost(scenario))
    return high - float(values.mean()) > _NARROW * width


def lock_in_row(
    label: str, runs: Runs, scenario: Scenario, measure: str, confidence: float
) -> dict[str, Any]:
    """The regret of one policy, divided into that of other runs and what locking in adds."""
    values, rare = runs.final(measure), runs.locked_in(scenario.horizon)
    low, high = mean_limits(values, rare, confidence, more=settling_cost(scenario))
    others = float(values[~rare].mean()) if not rare.all() else np.nan
    return {
        "policy": label,
        "locked_in_runs": int(rare.sum()),
        "replications": len(runs),
        "others": others,
        "excess": float(values[rare].mean()) - others if rare.any() else np.nan,
        measure: float(values.mean()),
        f"{measure}_low": low,
        f"{measure}_high": high,
    }


def lock_in_table(
    every: Mapping[str, Runs], scenario: Scenario, measure: str, confidence: float
) -> pd.DataFrame:
    """One row per policy."""
    rows = [lock_in_row(*each, scenario, measure, confidence) for each in every.items()]
    return pd.DataFrame(rows)


def lock_in_warnings(every: Mapping[str, Runs], scenario: Scenario, measure: str) -> Iterator[str]:
    """One line for each policy of whose runs few locked in, with an interval that allows for it."""
    for label, runs in every.items():
        if has_few_locked_in(runs, scenario, measure):
            row = lock_in_row(label, runs, scenario, measure, _CONFIDENCE)
            count = row["locked_in_runs"]
            yield (
                f"only {count} run{'s'[: count != 1]} of {label} locked in, too few for the usual "
                f"interval; one that allows for this: {measure.replace('_', ' ')} "
                f"{row[measure]:.2f} in [{row[f'{measure}_low']:.2f}, "
                f"{row[f'{measure}_high']:.2f}] (95 %)"
            )
