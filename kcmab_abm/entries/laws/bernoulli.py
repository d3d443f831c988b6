"""Rewards of 0 or 1."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kcmab_abm.catalogue.entries import LawSettings
from kcmab_abm.catalogue.law_decorator import law

Row = NDArray[np.float64]


class Settings(LawSettings):
    """Arms that pay 1 with the probability given, else 0."""

    means: list[Annotated[float, Field(ge=0, le=1)]] = Field(
        min_length=1, description="the mean of each arm"
    )

    def rows(self) -> list[tuple[float, ...]]:
        """One number per arm: its mean."""
        return [(mean,) for mean in self.means]


def mean(row: Row) -> float:
    """The mean, p."""
    return float(row[0])


def variance(row: Row) -> float:
    """The variance, p (1 - p)."""
    return float(row[0] * (1.0 - row[0]))


def atoms(row: Row) -> dict[float, float]:
    """The probability of every value."""
    return {0.0: 1.0 - float(row[0]), 1.0: float(row[0])}


def move(mean: float, row: Row, moved: Row) -> None:
    """The same law with another mean."""
    moved[0] = mean


@law(
    "bernoulli",
    settings=Settings,
    mean=mean,
    variance=variance,
    atoms=atoms,
    move=move,
    cites="Theorem 1",
)
def reward(u: float, row: Row) -> float:
    """Pays 1 with probability p, else 0."""
    return 1.0 if u >= 1.0 - row[0] else 0.0
