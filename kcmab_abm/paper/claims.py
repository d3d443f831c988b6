"""The paper's claims about its experiments, each as a quantity with a positive mean over runs.

It is the difference between two policies on the same tapes, or the distance to a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.paper.study import GREEDY, MODIFIED_TS, TS, UCB, epsilon_label
from kcmab_abm.results.statistics import Runs, checkpoints
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.theory.bounds import (
    modified_epsilon_greedy_compensation_bound,
    ucb_compensation_bound,
)

Floats = NDArray[np.float64]
Every = Mapping[str, Runs]

SLIGHTLY = 1.5  # "slightly larger" is taken to mean at most 1.5 times


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, and for every run the quantity it predicts to be positive.

    A claim that `low` is less than `factor` times `high` has the names of both policies; `measure`
    is what is compared.
    """

    where: str
    text: str
    policies: tuple[str, ...]
    advantage: Callable[[Every, Scenario], Floats]
    measure: str = ""
    factor: float = 1.0


def less(measure: str, low: str, high: str, where: str, factor: float = 1.0) -> Claim:
    """The claim that one policy has less of a measure than `factor` times another."""
    times = "" if factor == 1.0 else f"{factor:g} times "
    text = f"{low} has less {measure} than {times}{high}"
    advantage = partial(_saving, measure, low, high, factor)
    return Claim(where, text, (low, high), advantage, measure, factor)


def _saving(
    measure: str, low: str, high: str, factor: float, runs: Every, scenario: Scenario
) -> Floats:
    return factor * runs[high].final(measure) - runs[low].final(measure)


def _linear(runs: Every, scenario: Scenario) -> Floats:
    """Greedy's regret in the second half of the run, minus half of that in the first half."""
    place = int(np.searchsorted(checkpoints(scenario.horizon), scenario.horizon // 2))
    half: Floats = runs[GREEDY].curves[:, place, CURVES.index("regret")]
    return (runs[GREEDY].final("regret") - half) - 0.5 * half


def _below_ucb_bound(runs: Every, scenario: Scenario) -> Floats:
    bound = ucb_compensation_bound(scenario.market.arms, scenario.horizon)
    return bound - runs[UCB].final("compensation")


def _below_epsilon_bound(runs: Every, scenario: Scenario) -> Floats:
    bound = modified_epsilon_greedy_compensation_bound(scenario.market.arms, scenario.horizon, 20.0)
    return bound - runs[_20].final("compensation")


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
        "greedy's regret keeps growing: the second half of a run adds at least half as much as "
        "the first",
        (GREEDY,),
        _linear,
    ),
    Claim("Theorem 2", "ucb's compensation is below the bound", (UCB,), _below_ucb_bound),
    Claim(
        "Theorem 3 as printed",
        f"{_20}: compensation is below the bound",
        (_20,),
        _below_epsilon_bound,
    ),
)
