"""Customers who know what they want and do not read the record.

Arm i is worth `utilities[i]` to every customer, or what was drawn uniformly from [0, 1] if the
utilities are not given; nothing that is reported changes that. The controller cannot read it from
the record, and has to find the least offer by trial: the setting of Dogan et al. (2023) and Scheid
et al. (2024).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter, Settings


class Utilities(Settings):
    """The value of each arm to the customers."""

    utilities: list[Annotated[float, Field(ge=0, le=1)]] | None = Field(
        None, description="value of each arm to her, one number per arm; drawn if omitted"
    )


def known(arms: int, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """The utilities, given or drawn."""
    utilities = given.get("utilities")
    if utilities is None:
        drawn: NDArray[np.float64] = np.random.default_rng(given["utilities_seed"]).random(arms)
        return drawn
    if len(utilities) != arms:
        raise ValueError(
            f"utilities must have one number for each of the {arms} arms, got {len(utilities)}"
        )
    return np.array(utilities, np.float64)


@behaviour(
    "informed",
    cites="Dogan, Shen and Aswani 2023; Scheid et al. 2024",
    settings=Utilities,
    memory={"utility": known},
    utilities_seed=Parameter(
        0, "seed of the utilities, if they are not given", ge=0, estimated=False
    ),
)
def value(values: NDArray[np.float64], memory: Any) -> None:
    """Takes argmax_i u_i + c_i, with utilities u that she knows from the start."""
    for arm in range(len(values)):
        values[arm] = memory.utility[arm]
