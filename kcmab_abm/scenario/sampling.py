"""Sampled sweeps: points spread over ranges of settings by a seeded design."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    RootModel,
    Tag,
    ValidationError,
    model_validator,
)

from kcmab_abm.catalogue.entries import Settings, integral
from kcmab_abm.errors import ScenarioError
from kcmab_abm.model.arithmetic.elementary import exp, log
from kcmab_abm.scenario.fields import LARGEST_SEED
from kcmab_abm.scenario.paths import changed

SALTELLI = "saltelli"
ENDS = ("low", "high")

Floats = NDArray[np.float64]


class RangeTable(Settings):
    """A range of numbers; settings that are whole get whole numbers."""

    low: float = Field(description="the least value")
    high: float = Field(description="the largest value")
    log: bool = Field(False, description="true to spread values evenly on a logarithmic scale")

    @model_validator(mode="after")
    def _is_range(self) -> RangeTable:
        if not self.low < self.high:
            raise ValueError(f"low must be < high, got {self.low:g} and {self.high:g}")
        if self.log and self.low <= 0.0:
            raise ValueError(f"low must be > 0 on a logarithmic scale, got {self.low:g}")
        return self

    def at(self, share: float, is_whole: bool) -> tuple[float | int, float | int]:
        """Return the value at a share of the range from 0 to 1, and how tables show it."""
        # Half a number more at both ends, so that the ends come as often as the others.
        margin = 0.5 if is_whole else 0.0
        low, high = self.low - margin, self.high + margin
        if self.log:
            value = exp(log(low) + share * (log(high) - log(low)))
        else:
            value = low + share * (high - low)
        value = min(self.high, max(self.low, value))
        if is_whole:
            whole = math.floor(value + 0.5)
            return whole, whole
        return value, value


class LabelsTable(RootModel[Annotated[dict[str, Any], Field(min_length=1)]]):
    """Values with labels, all equally likely; tables and figures show the labels."""

    # A schema has no other way to tell labels from a range.
    model_config = ConfigDict(
        json_schema_extra={"not": {"properties": {"low": {"type": "number"}}, "required": ["low"]}}
    )

    def at(self, share: float, is_whole: bool) -> tuple[Any, str]:
        """Return the value at a share from 0 to 1, and its label."""
        labels = list(self.root)
        label = labels[min(int(share * len(labels)), len(labels) - 1)]
        return self.root[label], label


def _shape(value: Any) -> str:
    """Return the tag of what may be varied: 'range' if it has an end that is a number."""
    if isinstance(value, RangeTable):
        return "range"
    given = value if isinstance(value, Mapping) else {}
    return "range" if any(isinstance(given.get(end), int | float) for end in ENDS) else "labels"


Varied = Annotated[
    Annotated[RangeTable, Tag("range")] | Annotated[LabelsTable, Tag("labels")],
    Discriminator(_shape),
]


class SampleTable(Settings):
    """How points are spread over the ranges."""

    design: Literal["sobol", "latin-hypercube", "saltelli"] = Field(
        description="how points are spread; 'saltelli' allows an analysis of sensitivity"
    )
    points: Annotated[int, Field(ge=2, le=2**20), integral] = Field(
        description="number of points; with the design 'saltelli' one base point per k + 2 points, "
        "where k settings are varied"
    )
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED), integral] = Field(
        0, description="seed of the design"
    )

    @model_validator(mode="after")
    def _is_balanced(self) -> SampleTable:
        count = self.points
        if self.design != "latin-hypercube" and count & (count - 1):
            below = 1 << (count.bit_length() - 1)
            raise ValueError(
                f"points must be a power of 2 with the design {self.design!r}, which is balanced "
                f"only then, such as {below} or {2 * below}; got {count}"
            )
        return self

    def count(self, settings: int) -> int:
        """Return the number of points for so many settings."""
        return self.points * (settings + 2) if self.design == SALTELLI else self.points

    def shares(self, settings: int) -> Floats:
        """Return the points in the unit cube, one row per point and one column per setting."""
        from scipy.stats import qmc  # late, because it takes long to import

        rng = np.random.default_rng(self.seed)
        if self.design == "latin-hypercube":
            return np.asarray(qmc.LatinHypercube(settings, seed=rng).random(self.points))
        if self.design == "sobol":
            return np.asarray(qmc.Sobol(settings, seed=rng).random(self.points))
        return saltelli_points(settings, self.points, rng)

    def settings_at(
        self, varied: Mapping[str, RangeTable | LabelsTable], whole: set[str]
    ) -> list[dict[str, tuple[Any, Any]]]:
        """Return the value of every setting at every point, and how tables show it."""
        return [
            {
                path: each.at(float(share), path in whole)
                for (path, each), share in zip(varied.items(), row, strict=True)
            }
            for row in self.shares(len(varied))
        ]


def saltelli_points(settings: int, base: int, rng: np.random.Generator) -> Floats:
    """Return a design for Sobol indices: A, B, and for each setting A with a column of B.

    Parameters
    ----------
    settings : int
        The number of columns, k.
    base : int
        The number of rows of A and of B, a power of 2.
    rng : Generator
        Scrambles the Sobol sequence from which A and B are taken.

    Returns
    -------
    ndarray
        base (k + 2) rows in the unit cube: A, then B, then the k mixed blocks in order.

    References
    ----------
    Saltelli et al. (2010), Computer Physics Communications 181.
    """
    from scipy.stats import qmc  # late, because it takes long to import

    both = np.asarray(qmc.Sobol(2 * settings, seed=rng).random(base))
    a, b = both[:, :settings], both[:, settings:]
    mixed = [np.where(np.arange(settings) == column, b, a) for column in range(settings)]
    return np.concatenate([a, b, *mixed])


def whole_settings(base: BaseModel, ranges: Mapping[str, RangeTable | LabelsTable]) -> set[str]:
    """Return the paths whose settings refuse a number only because it has a fraction."""
    labels = {
        path: next(iter(each.root.values()))
        for path, each in ranges.items()
        if isinstance(each, LabelsTable)
    }
    numbers = {path: each for path, each in ranges.items() if isinstance(each, RangeTable)}
    return {path for path, each in numbers.items() if _is_whole(base, labels, path, each)}


def _is_whole(base: BaseModel, labels: Mapping[str, Any], path: str, varied: RangeTable) -> bool:
    fraction = varied.low + (varied.high - varied.low) / math.pi
    try:
        type(base).model_validate(changed(base, {**labels, path: fraction}))
    except ValidationError as error:
        refused = [each for each in error.errors() if each["input"] == fraction]
        return any(each["type"] in ("int_type", "int_from_float") for each in refused)
    except ScenarioError:
        pass  # the points say what is wrong
    return False
