"""Constant, exponential and uniform durations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Discriminator, Field, Tag

from kcmab_abm.catalogue.entries import Settings
from kcmab_abm.model.timing import CONSTANT, EXPONENTIAL, UNIFORM, Span
from kcmab_abm.scenario.fields import LARGEST_AMOUNT, Amount, Problems


class Duration(Settings):
    """A duration."""

    @property
    def is_zero(self) -> bool:
        """True if the duration is always 0."""
        return not any(number for word, number in self if word != "law")

    @property
    def span(self) -> Span:
        """The law, for the engines."""
        raise NotImplementedError


class Constant(Duration):
    """The same duration for all customers."""

    law: Literal["constant"]
    value: Amount = Field(description="the duration, in time units")

    @property
    def span(self) -> Span:
        """The law, for the engines."""
        return Span(CONSTANT, self.value)


class Exponential(Duration):
    """Exponentially distributed durations."""

    law: Literal["exponential"]
    mean: float = Field(gt=0, le=LARGEST_AMOUNT, description="the mean duration, in time units")

    @property
    def span(self) -> Span:
        """The law, for the engines."""
        return Span(EXPONENTIAL, 0.0, self.mean)


class Uniform(Duration):
    """Uniformly distributed durations."""

    law: Literal["uniform"]
    low: Amount = Field(description="the shortest duration, in time units")
    high: Amount = Field(description="the longest duration, in time units")

    @property
    def span(self) -> Span:
        """The law, for the engines."""
        return Span(UNIFORM, self.low, self.high - self.low)


def _number_or_table(value: Any) -> str:
    return "table" if isinstance(value, dict | BaseModel) else "number"


Time = Annotated[
    Annotated[Amount, Tag("number")]
    | Annotated[
        Annotated[Constant | Exponential | Uniform, Field(discriminator="law")], Tag("table")
    ],
    Discriminator(_number_or_table),
]


def build_duration(place: str, given: Time, problems: Problems) -> Duration:
    """Return the duration given as a number or as a table."""
    if isinstance(given, Uniform) and given.low > given.high:
        problems.add(place, f"low must be <= high, got {given.low} and {given.high}")
    return given if isinstance(given, Duration) else Constant(law="constant", value=given)
