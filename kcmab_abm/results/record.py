"""A run or a sweep as read from its results folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Record:
    """A run or a sweep as read from its results folder; `axes` are the swept settings, if any."""

    folder: Path
    scenario: dict[str, Any] = field(repr=False)
    seed: int
    digest: str
    axes: tuple[str, ...]
    finals: pd.DataFrame = field(repr=False)

    @property
    def measures(self) -> list[str]:
        """The columns of the scenario's own measures."""
        return [*self.scenario.get("measures", {})]

    @property
    def policies(self) -> list[str]:
        """The labels of the policies, in the order of the file."""
        return [str(label) for label in self.finals["policy"].drop_duplicates()]
