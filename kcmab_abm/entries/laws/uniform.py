"""Rewards spread evenly over an interval."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from kcmab_abm.catalogue.entries import LawSettings
from kcmab_abm.catalogue.law_decorator import law

Row = NDArray[np.float64]
Ends = list[Annotated[float, Field(ge=0, le=1)]]


class Settings(LawSettings):
    """Arms whose rewards are uniform between `low` and `high`."""

    low: Ends = Field(min_length=1, description="the lower end for each arm")
    high: Ends = Field(min_length=1, description="the upper end for each arm")

    @model_validator(mode="after")
    def _ends_match(self) -> Self:
        if len(self.low) != len(self.high):
            raise ValueError(
                f"low and high must be equally long, got {len(self.low)} and {len(self.high)}"
            )
        for low, high in zip(self.low, self.high, strict=True):
            if low > high:
                raise ValueError(f"low must be <= high, got {low} and {high}")
        return self

    def rows(self) -> list[tuple[float, ...]]:
        """Two numbers per arm: the ends of its interval."""
        return list(zip(self.low, self.high, strict=True))


def mean(row: Row) -> float:
    """The mean, (low + high) / 2."""
    return float((row[0] + row[1]) / 2.0)


def variance(row: Row) -> float:
    """The variance, (high - low)^2 / 12."""
    return float((row[1] - row[0]) ** 2 / 12.0)


def density(x: float, row: Row) -> float:
    """The density, 1 / (high - low) inside the interval."""
    return 1.0 / (row[1] - row[0]) if row[0] <= x <= row[1] else 0.0


@law("uniform", settings=Settings, mean=mean, variance=variance, density=density)
def reward(u: float, row: Row) -> float:
    """Pays any amount between low and high, all equally likely."""
    return float(row[0] + u * (row[1] - row[0]))
