"""The targets that a person chose, such as a teacher or a student who was the controller.

Customer t is sent to `targets[t]`, counted from 1. With the same tapes, this repeats a market that
somebody controlled by hand; what she offered is repeated by the pricing rule of the same name.
Beyond the end of the record the policy promotes the arm with the best record, like `greedy`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from pydantic import Field

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Settings, integral
from kcmab_abm.model.book import Book, leader


class Targets(Settings):
    """What was promoted."""

    targets: list[Annotated[int, Field(ge=0), integral]] = Field(
        [], description="arm promoted to every customer, from the first"
    )


def recorded(arms: int, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """The targets, all of them arms of this market."""
    targets = given.get("targets", [])
    if targets and max(targets) >= arms:
        raise ValueError(f"targets must be arms 0..{arms - 1}, got {max(targets)}")
    return np.array(targets, np.float64)


@policy("recorded", settings=Targets, memory={"target": recorded})
def choose(t: int, view: Book, memory: Any, rng: Generator) -> int:
    """Promotes the arm that the record says; after its end, the one with the best record."""
    if t <= len(memory.target):
        return int(memory.target[t - 1])
    return leader(view, rng)
