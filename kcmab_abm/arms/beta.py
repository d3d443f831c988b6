"""Rewards with a Beta distribution."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from scipy.special import betaincinv

from kcmab_abm.catalogue import law
from kcmab_abm.entries import LawSettings

Row = NDArray[np.float64]
Shapes = list[Annotated[float, Field(ge=1e-3, le=1e6)]]


class Settings(LawSettings):
    """Arms with Beta rewards, by `means` and one `concentration`, or by `alpha` and `beta`."""

    means: list[Annotated[float, Field(gt=0, lt=1)]] | None = Field(
        None, min_length=1, description="the mean of each arm"
    )
    concentration: float | None = Field(
        None, ge=1e-2, le=1e6, description="alpha + beta: the larger, the narrower"
    )
    alpha: Shapes | None = Field(None, min_length=1, description="alpha of each arm")
    beta: Shapes | None = Field(None, min_length=1, description="beta of each arm")

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        given = [word for word in type(self).model_fields if getattr(self, word) is not None]
        given = [word for word in given if word in Settings.model_fields]
        if given not in (["means", "concentration"], ["alpha", "beta"]):
            raise ValueError(
                "give means and concentration, or alpha and beta; "
                f"got {' and '.join(given) or 'neither'}"
            )
        if self.alpha and self.beta and len(self.alpha) != len(self.beta):
            raise ValueError(
                f"alpha and beta must be equally long, got {len(self.alpha)} and {len(self.beta)}"
            )
        return self

    def rows(self) -> list[tuple[float, ...]]:
        """Two numbers an arm: alpha and beta."""
        if self.means is not None and self.concentration is not None:
            total = self.concentration
            return [(mean * total, (1.0 - mean) * total) for mean in self.means]
        return list(zip(self.alpha or [], self.beta or [], strict=True))


def mean(row: Row) -> float:
    """The mean, alpha / (alpha + beta)."""
    return float(row[0] / (row[0] + row[1]))


def variance(row: Row) -> float:
    """The variance, m (1 - m) / (alpha + beta + 1) with m the mean."""
    middle = mean(row)
    return float(middle * (1.0 - middle) / (row[0] + row[1] + 1.0))


def density(x: float, row: Row) -> float:
    """The density, x^(alpha-1) (1-x)^(beta-1) / B(alpha, beta)."""
    from scipy.stats import beta as beta_distribution  # late: it is slow to import

    return float(beta_distribution.pdf(x, row[0], row[1]))


def move(mean: float, row: Row, moved: Row) -> None:
    """The same concentration around another mean."""
    total = row[0] + row[1]
    moved[0] = mean * total
    moved[1] = (1.0 - mean) * total


@law(
    "beta",
    settings=Settings,
    mean=mean,
    variance=variance,
    density=density,
    move=move,
    within=(0.001, 0.999),
    costly=True,
)
def reward(u: float, row: Row) -> float:
    """Pays an amount with a Beta(alpha, beta) distribution."""
    return float(betaincinv(row[0], row[1], u))
