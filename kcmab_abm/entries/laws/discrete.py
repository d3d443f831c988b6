"""Rewards with finitely many values."""

from __future__ import annotations

import math
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from kcmab_abm.catalogue.entries import LawSettings
from kcmab_abm.catalogue.law_decorator import law

Row = NDArray[np.float64]
Shares = Annotated[list[Annotated[float, Field(ge=0, le=1)]], Field(min_length=1)]


class Settings(LawSettings):
    """Arms that pay one of `values`, each arm with probabilities of its own."""

    values: Shares = Field(description="the rewards that can occur, in increasing order")
    probabilities: list[Shares] = Field(
        min_length=1, description="for each arm, the probability of each value"
    )

    @model_validator(mode="after")
    def _probabilities_fit(self) -> Self:
        if any(low >= high for low, high in zip(self.values, self.values[1:], strict=False)):
            raise ValueError(f"values must increase, got {self.values}")
        for arm, shares in enumerate(self.probabilities):
            if len(shares) != len(self.values):
                raise ValueError(
                    f"probabilities[{arm}] must have one entry for each of the "
                    f"{len(self.values)} values, got {len(shares)}"
                )
            if not math.isclose(math.fsum(shares), 1.0, abs_tol=1e-9):
                raise ValueError(f"probabilities[{arm}] must sum to 1, got {math.fsum(shares):.6g}")
        return self

    def rows(self) -> list[tuple[float, ...]]:
        """The number of values, the values, and their cumulative probabilities."""
        return [
            (float(len(self.values)), *self.values, *_cumulated(shares))
            for shares in self.probabilities
        ]


def _cumulated(shares: list[float]) -> list[float]:
    sums = [math.fsum(shares[: k + 1]) for k in range(len(shares))]
    total = sums[-1]
    return [part / total for part in sums]


def mean(row: Row) -> float:
    """The mean, the sum of value times probability."""
    values, shares = _split(row)
    return math.fsum(values * shares)


def variance(row: Row) -> float:
    """The variance, the mean squared distance from the mean."""
    values, shares = _split(row)
    return math.fsum((values - mean(row)) ** 2 * shares)


def _split(row: Row) -> tuple[Row, Row]:
    row = np.asarray(row)
    count = int(row[0])
    return row[1 : 1 + count], np.diff(row[1 + count : 1 + 2 * count], prepend=0.0)


def atoms(row: Row) -> dict[float, float]:
    """The probability of every value."""
    values, shares = _split(row)
    return dict(zip(values.tolist(), shares.tolist(), strict=True))


@law("discrete", settings=Settings, mean=mean, variance=variance, atoms=atoms)
def reward(u: float, row: Row) -> float:
    """Pays one of finitely many values, each with its probability."""
    count = int(row[0])
    place = 0
    while place < count - 1 and u >= row[1 + count + place]:
        place += 1
    return float(row[1 + place])
