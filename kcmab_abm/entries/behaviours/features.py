"""Customers who value several features of an arm differently.

Besides the reward, pulling arm i yields binary outcomes: outcome k is 1 with probability
`outcomes[i][k]`, else 0, and is reported with the reward. Customer t gives these outcomes normal
weights w_k with standard deviation `spread` and takes argmax_i m_i + sum_k w_k z_ik + c_i, where
z_ik is the average outcome reported so far. Chen, Frazier and Kempe (2018) show the value of such
diversity: if every arm has customers who prefer it, they explore on their own, and total payments
stay bounded.

Regret is measured in the reward alone, which all customers value equally.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from pydantic import Field

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter, Settings
from kcmab_abm.model.book import Book


class Outcomes(Settings):
    """The further outcomes of the arms."""

    outcomes: list[list[Annotated[float, Field(ge=0, le=1)]]] | None = Field(
        None, description="probability of each outcome, one list per arm; drawn unless given"
    )


def chances(arms: int, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """The probability of every outcome, arm by arm."""
    features, outcomes = given["features"], given.get("outcomes")
    if outcomes is None:
        drawn: NDArray[np.float64] = np.random.default_rng(given["outcomes_seed"]).random(
            arms * features
        )
        return drawn
    if len(outcomes) != arms or any(len(row) != features for row in outcomes):
        lengths = sorted({len(row) for row in outcomes})
        raise ValueError(
            f"outcomes must have {features} numbers (features) for each of the {arms} arms, got "
            f"{len(outcomes)} lists of lengths {lengths}"
        )
    return np.array(outcomes, np.float64).ravel()


def seen(arms: int, given: Mapping[str, Any]) -> int:
    """The number of outcomes of all arms together."""
    return int(arms * given["features"])


def hear(arm: int, memory: Any, params: Any, rng: Generator) -> None:
    """Draw and count the outcomes that come with a report."""
    if params.spread > 0.0:
        for k in range(params.features):
            place = arm * params.features + k
            if rng.random() < memory.chance[place]:
                memory.count[place] += 1.0


@behaviour(
    "features",
    cites="Chen, Frazier and Kempe 2018",
    hear=hear,
    settings=Outcomes,
    memory={"chance": chances, "count": seen, "weight": "features"},
    features=Parameter(2, "outcomes per arm besides the reward", ge=1, le=100),
    spread=Parameter(0.3, "standard deviation of her weight on an outcome", ge=0.0, le=100.0),
    outcomes_seed=Parameter(0, "seed for drawing the probabilities, unless given", ge=0),
)
def value(
    book: Book,
    values: NDArray[np.float64],
    adjustments: NDArray[np.float64],
    memory: Any,
    params: Any,
    rng: Generator,
) -> None:
    """Takes argmax_i m_i + w . z_i + c_i, with her own weights w on the outcomes of an arm."""
    if params.spread > 0.0:
        for k in range(params.features):
            memory.weight[k] = params.spread * rng.standard_normal()
    for arm in range(len(book.means)):
        liking = 0.0
        for k in range(params.features):
            average = memory.count[arm * params.features + k] / book.pulls[arm]
            liking += memory.weight[k] * average
        values[arm] = book.means[arm]
        adjustments[arm] = liking
