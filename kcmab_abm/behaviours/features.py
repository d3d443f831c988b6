"""Customers who weigh several outcomes of an arm, each in her own way.

An arm gives more than its reward: outcome k of arm i is 1 with probability `outcomes[i][k]`, else
0, and is reported with the reward. Customer t puts normal weights w_k of standard deviation
`spread` on these outcomes and takes argmax_i m_i + sum_k w_k z_ik + c_i, with z_ik the average
outcome reported so far. Chen, Frazier and Kempe (2018) show what such diversity is worth: where for
every arm there are customers who like it, they explore by themselves, and payments stay bounded
however long the market runs.

Regret is in the reward alone, the outcome that all value alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from pydantic import Field

from kcmab_abm.book import Book
from kcmab_abm.catalogue import behaviour
from kcmab_abm.entries import Parameter, Settings
from kcmab_abm.offers import Board, best_deal


class Outcomes(Settings):
    """What the arms give beside the reward."""

    outcomes: list[list[Annotated[float, Field(ge=0, le=1)]]] | None = Field(
        None, description="chance of each further outcome, one list an arm; drawn unless given"
    )


def chances(arms: int, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """The chance of every outcome of every arm, arm by arm."""
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
    """Room for a count of every outcome of every arm."""
    return int(arms * given["features"])


def hear(
    t: int, arm: int, reward: float, book: Book, memory: Any, params: Any, rng: Generator
) -> None:
    """Count the outcomes that come with a report."""
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
    memory={"chance": chances, "count": seen, "weight": "features", "value": "arms"},
    features=Parameter(2, "outcomes of an arm beside the reward", ge=1, le=100),
    spread=Parameter(0.3, "standard deviation of her weight on an outcome", ge=0.0, le=100.0),
    outcomes_seed=Parameter(0, "of the draw of outcomes, if they are not given", ge=0),
)
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes argmax_i m_i + w . z_i + c_i: weighs all outcomes of an arm by weights of her own."""
    if params.spread > 0.0:
        for k in range(params.features):
            memory.weight[k] = params.spread * rng.standard_normal()
    for arm in range(len(book.means)):
        liking = 0.0
        for k in range(params.features):
            average = memory.count[arm * params.features + k] / book.pulls[arm]
            liking += memory.weight[k] * average
        memory.value[arm] = book.means[arm] + liking
    return best_deal(memory.value, 1.0, book, board, rng)
