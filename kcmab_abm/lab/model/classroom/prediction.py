"""Predict, then see: a question about a thousand markets, which are then run."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kcmab_abm.lab.model.classroom.question import Question
from kcmab_abm.results.results import Results
from kcmab_abm.scenario.scenario import Scenario

MARKETS = 1000
_BINS = 40
_LIMITS = (0.0, 0.05, 0.2, 0.5, 1.0)  # shares of the markets between which students choose


@dataclass(frozen=True)
class Shape:
    """What a thousand markets lost, as dots in columns; `stuck` are those that locked in.

    `dots` has the column of every market and whether it locked in, in the order of the
    replications; `low` and `high` are the least and the greatest loss.
    """

    dots: list[tuple[int, bool]]
    low: float
    high: float
    stuck: int
    mean: float
    paid: float
    columns: int = _BINS


def prediction(scenario: Scenario, label: str) -> Question:
    """The question how many markets end up with nearly everybody at a wrong restaurant."""
    options = [
        f"{'at most' if low == 0 else f'more than {low * MARKETS:.0f}, at most'} "
        f"{high * MARKETS:.0f}"
        for low, high in pairwise(_LIMITS)
    ]
    customers = scenario.horizon
    return Question(
        f"We open {MARKETS:,} such markets, with luck of their own, and {customers:,} guests come "
        "to each. In how many do nearly all of the last guests go to a restaurant that is not the "
        "best one?",
        options,
        f"The controller: {label}.",
    )


def right_option(stuck: int) -> int:
    """The option that is right if so many markets locked in.

    >>> [right_option(stuck) for stuck in (0, 50, 51, 1000)]
    [0, 0, 1, 3]
    """
    return next(place for place, share in enumerate(_LIMITS[1:]) if stuck <= share * MARKETS + 1e-9)


def shape_of(results: Results, label: str) -> Shape:
    """The losses of all markets as dots in columns."""
    runs = results.runs[label]
    lost, paid = runs.final(results.regret_measure), runs.final("compensation")
    stuck = runs.locked_in(results.scenario.horizon)
    low, high = float(lost.min()), float(lost.max())
    width = (high - low) / _BINS or 1.0
    places = np.minimum(((lost - low) / width).astype(int), _BINS - 1)
    dots = list(zip(places.tolist(), stuck.tolist(), strict=True))
    return Shape(dots, low, high, int(stuck.sum()), float(lost.mean()), float(paid.mean()))
