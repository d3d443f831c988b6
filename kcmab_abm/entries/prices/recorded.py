"""The offers that a person made, such as a teacher who was the controller.

Customer t is offered `offers[t]`, counted from 1, for whatever arm is promoted to her. Customers
beyond the end of the record are offered the gap, as by `least`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kcmab_abm.catalogue.decorators import pricing
from kcmab_abm.catalogue.entries import Settings


class Offers(Settings):
    """What was offered."""

    offers: list[Annotated[float, Field(ge=0)]] = Field(
        [], description="offer to every customer, from the first"
    )


def recorded(arms: int, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """The offers."""
    return np.array(given.get("offers", []), np.float64)


@pricing("recorded", settings=Offers, memory={"offer": recorded})
def price(t: int, gap: float, memory: Any) -> float:
    """Offers what the record says; the gap after its end."""
    return float(memory.offer[t - 1]) if t <= len(memory.offer) else gap
