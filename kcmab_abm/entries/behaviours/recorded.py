"""Customers whose choices were recorded, such as those of a class.

Customer t takes `choices[t]`, counted from 1, whatever she is offered; -1 means that she left.
With the same tapes, this repeats a market in which people chose. Customers beyond the end of the
record are greedy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from pydantic import Field

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Settings, integral
from kcmab_abm.model.book import Book, best_mean, leader
from kcmab_abm.model.offers import Board, best_deal


class Choices(Settings):
    """What customers chose."""

    choices: list[Annotated[int, Field(ge=-1), integral]] = Field(
        [], description="arm of every customer, from the first; -1 if she left"
    )


def recorded(arms: int, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """The choices, all of them arms of this market."""
    choices = given.get("choices", [])
    if choices and max(choices) >= arms:
        raise ValueError(f"choices must be arms 0..{arms - 1}, or -1, got {max(choices)}")
    return np.array(choices, np.float64)


@behaviour("recorded", settings=Choices, memory={"choice": recorded})
def take(t: int, book: Book, board: Board, memory: Any, rng: Generator) -> int:
    """Takes the arm that the record says; greedy after its end."""
    if t <= len(memory.choice):
        return int(memory.choice[t - 1])
    if board.rivals:
        return best_deal(book.means, 1.0, book, board, rng)
    if board.offers[board.target] >= best_mean(book) - book.means[board.target]:
        return board.target
    return leader(book, rng)
