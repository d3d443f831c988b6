"""Rewards observed in a file."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field, model_validator

from kcmab_abm.catalogue.entries import LARGEST_MARKET, LawSettings, Reader
from kcmab_abm.catalogue.law_decorator import law
from kcmab_abm.entries.laws.discrete import atoms, mean, variance

Row = NDArray[np.float64]
MOST_VALUES = 4096  # different rewards of an arm
Column = Annotated[str, Field(min_length=1)]


class Settings(LawSettings):
    """Arms with the rewards observed in a CSV or Parquet file, one row per observation."""

    file: str = Field(min_length=1, description="path, relative to the scenario file")
    arm: Column = Field(description="the column with the names of the arms")
    reward: Column = Field(description="the column with the rewards")
    range: list[float] = Field(
        [0.0, 1.0],
        min_length=2,
        max_length=2,
        description="the lowest and the highest possible reward, which are mapped to 0 and 1",
    )

    @model_validator(mode="after")
    def _settings_fit(self) -> Self:
        if self.arm == self.reward:
            raise ValueError(f"arm and reward must be two columns, got {self.arm!r} twice")
        low, high = self.range
        if not 0.0 < high - low < math.inf:
            raise ValueError(f"range must be a low and a higher number, got {self.range}")
        return self

    def named_rows(self, read: Reader) -> list[tuple[str, tuple[float, ...]]]:
        """For each arm the numbers of a discrete law: its values and their cumulative shares."""
        columns = read(self.file, {self.arm: str, self.reward: float})
        groups = pd.Series(self._scaled(columns[self.reward])).groupby(columns[self.arm])
        if groups.ngroups > LARGEST_MARKET:
            raise ValueError(
                f"{self.file!r}: {self.arm!r} must have at most {LARGEST_MARKET:,} different "
                f"values, got {groups.ngroups:,}"
            )
        rows = {
            str(name): self._row(str(name), np.asarray(each, np.float64)) for name, each in groups
        }
        return [(name, rows[name]) for name in _in_order(rows)]

    def _scaled(self, rewards: Row) -> Row:
        low, high = self.range
        inside = (rewards >= low) & (rewards <= high)
        if not inside.all():
            row = int(inside.argmin())
            raise ValueError(
                f"{self.file!r}: row {row + 1}: {self.reward!r} must be in the range "
                f"[{low:g}, {high:g}], got {rewards[row]:g}"
            )
        return (rewards - low) / (high - low) + 0.0  # no -0.0

    def _row(self, name: str, rewards: Row) -> tuple[float, ...]:
        values, counts = np.unique(rewards, return_counts=True)
        if len(values) > MOST_VALUES:
            raise ValueError(
                f"{self.file!r}: arm {name[:60]!r} must have at most {MOST_VALUES:,} different "
                f"rewards, got {len(values):,}; round {self.reward!r}"
            )
        shares = np.cumsum(counts) / len(rewards)
        return (float(len(values)), *values.tolist(), *shares.tolist())


def _in_order(names: Iterable[str]) -> list[str]:
    """Sort names: as whole numbers if all are, otherwise as texts."""
    try:
        return sorted(names, key=lambda name: (int(name), name))
    except ValueError:
        return sorted(names)


@law("empirical", settings=Settings, mean=mean, variance=variance, atoms=atoms)
def reward(u: float, row: Row) -> float:
    """Pays one of the rewards observed in a file, as often as it occurs there."""
    count = int(row[0])
    low = 0
    high = count - 1
    while low < high:
        middle = (low + high) // 2
        if u < row[1 + count + middle]:
            high = middle
        else:
            low = middle + 1
    return float(row[1 + low])
