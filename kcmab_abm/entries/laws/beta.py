"""Rewards with a Beta distribution."""

from __future__ import annotations

import math
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from kcmab_abm.catalogue.entries import LawSettings
from kcmab_abm.catalogue.law_decorator import law
from kcmab_abm.model.arithmetic.beta import constants, quantile
from kcmab_abm.model.arithmetic.tables import (
    CELLS,
    FIRST,
    HALF,
    LAST,
    UNFIT,
    WIDTH,
    cell_value,
    table,
)

Row = NDArray[np.float64]
_ENDS_AT = 5
_CELLS_AT = 7
_LEAST_SHAPE = 1e-3  # for a table; below, most of its cells would have no polynomial
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
        """Alpha, beta, the two constants of the quantile function, and 0 (no table)."""
        if self.means is not None and self.concentration is not None:
            total = self.concentration
            shapes = [(mean * total, (1.0 - mean) * total) for mean in self.means]
        else:
            shapes = list(zip(self.alpha or [], self.beta or [], strict=True))
        return [(a, b, *constants(a, b), 0.0) for a, b in shapes]


def tabulate(row: tuple[float, ...]) -> tuple[float, ...]:
    """The row with a table of its quantiles, which is faster than computing them."""
    a, b, scale, share, _ = row
    if min(a, b) < _LEAST_SHAPE:
        return row
    return (a, b, scale, share, 1.0, *table(a, b, scale, share))


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
    total = float(row[0] + row[1])
    a = mean * total
    b = (1.0 - mean) * total
    scale, share = constants(a, b)
    moved[0] = a
    moved[1] = b
    moved[2] = scale
    moved[3] = share
    moved[4] = 0.0


@law(
    "beta",
    settings=Settings,
    mean=mean,
    variance=variance,
    density=density,
    move=move,
    within=(0.001, 0.999),
    tabulate=tabulate,
)
def reward(u: float, row: Row) -> float:
    """Pays an amount with a Beta(alpha, beta) distribution."""
    low = 0.0
    high = 1.0
    if row[4] > 0.0:
        p = u if u < 0.5 else LAST - u
        if p >= FIRST:
            mantissa, exponent = math.frexp(p)
            offset = 2.0 * CELLS * (mantissa - 0.5)
            cell = int(offset)
            place = _CELLS_AT + WIDTH * (CELLS * -exponent - 1 - cell)
            if u >= 0.5:
                place += HALF
            if row[place] != UNFIT:
                return cell_value(2.0 * (offset - cell) - 1.0, row, place)
            low = float(row[place + 1])
            high = float(row[place + 2])
        elif u < 0.5:
            high = float(row[_ENDS_AT])
        else:
            low = float(row[_ENDS_AT + 1])
    a, b, scale, share = float(row[0]), float(row[1]), float(row[2]), float(row[3])
    return min(high, max(low, quantile(u, a, b, scale, share)))
