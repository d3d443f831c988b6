"""The tables of a scenario file that are the same whatever the catalogue holds, and its limits."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Discriminator, Field, Tag

from kcmab_abm.entries import Settings

LARGEST_HORIZON = 10**11
LARGEST_REPLICATIONS = 10**8
LARGEST_SEED = 2**63 - 1
LARGEST_MARKET = 10_000  # arms
LARGEST_AMOUNT = 1e12  # of time or money: sums over many customers stay finite

Measure = Literal["regret", "realised_regret", "compensation", "dynamic_regret"]


class Constant(Settings):
    """The same duration for everybody."""

    law: Literal["constant"]
    value: float = Field(ge=0, le=LARGEST_AMOUNT, description="time units")


class Exponential(Settings):
    """Durations without memory."""

    law: Literal["exponential"]
    mean: float = Field(gt=0, le=LARGEST_AMOUNT, description="time units")


class Uniform(Settings):
    """Durations spread evenly between two ends."""

    law: Literal["uniform"]
    low: float = Field(ge=0, le=LARGEST_AMOUNT, description="time units")
    high: float = Field(ge=0, le=LARGEST_AMOUNT, description="time units")


class Slots(Settings):
    """One customer a time slot, at 1, 2, 3, ..."""

    process: Literal["slots"]


class Poisson(Settings):
    """Customers who arrive at random, `rate` of them a time unit on average."""

    process: Literal["poisson"]
    rate: float = Field(
        1.0, ge=1 / LARGEST_AMOUNT, le=LARGEST_AMOUNT, description="customers a time unit"
    )


class Trace(Settings):
    """Customers who arrive at the times listed in a file, one a line, never decreasing."""

    process: Literal["trace"]
    file: str = Field(min_length=1, description="path, relative to the scenario file")


Mean = Annotated[float, Field(ge=0, le=1)]
Places = Annotated[int, Field(ge=1, le=LARGEST_HORIZON)]
Sample = Annotated[
    list[Annotated[int, Field(ge=0, lt=LARGEST_REPLICATIONS)]],
    Field(min_length=1, max_length=10_000),
]


class Piecewise(Settings):
    """Means that jump: from customer `at[k]` on they are `means[k]`."""

    kind: Literal["piecewise"]
    at: list[Annotated[int, Field(ge=2)]] = Field(
        min_length=1, description="customers with whom new means begin, in increasing order"
    )
    means: list[list[Mean]] = Field(
        min_length=1, description="the new means of all arms, each time"
    )


class RandomWalk(Settings):
    """Means that walk at random between two walls, a step for every customer."""

    kind: Literal["random-walk"]
    step: float = Field(gt=0, le=0.25, description="standard deviation of a step")
    low: Mean = Field(0.0, description="the lower wall")
    high: Mean = Field(1.0, description="the upper wall")


class Seasonal(Settings):
    """Means that swing: mu_i + amplitude sin(2 pi (t / period + phase_i)), cut to [0, 1]."""

    kind: Literal["seasonal"]
    amplitude: Mean = Field(description="how far means swing to either side")
    period: float = Field(ge=2, le=LARGEST_AMOUNT, description="customers a season")
    phases: list[Mean] | None = Field(
        None, description="how far ahead each arm is, in seasons; evenly spread unless given"
    )


class PrecisionTable(Settings):
    """How precise a mean is to be; replications are added until it is."""

    measure: Measure = Field(description="what is to be precise, at the end of a run")
    half_width: float | None = Field(
        None, gt=0, le=LARGEST_AMOUNT, description="half the width of the interval"
    )
    relative: float | None = Field(
        None, gt=0, le=1, description="half the width, as a share of the mean"
    )
    between: list[str] | None = Field(
        None,
        min_length=2,
        max_length=2,
        description="the labels of two policies whose difference is to be precise; every policy "
        "by itself unless given",
    )
    confidence: float = Field(0.95, ge=0.5, lt=1, description="of all intervals together")
    ceiling: int | None = Field(
        None,
        ge=1,
        le=LARGEST_REPLICATIONS,
        description="the most replications; 100 times the first ones unless given",
    )


def shape(value: Any) -> str:
    """Whether a value is a list, or one of what a list would hold."""
    return "list" if isinstance(value, list) else "table"


def _number_or_table(value: Any) -> str:
    return "table" if isinstance(value, dict | BaseModel) else "number"


Change = Annotated[Piecewise | RandomWalk | Seasonal, Field(discriminator="kind")]
Capacity = Annotated[
    Annotated[Places, Tag("table")]
    | Annotated[Annotated[list[Places], Field(min_length=1)], Tag("list")],
    Discriminator(shape),
]
Arrivals = Annotated[Slots | Poisson | Trace, Field(discriminator="process")]
Duration = Annotated[
    Annotated[Annotated[float, Field(ge=0, le=LARGEST_AMOUNT)], Tag("number")]
    | Annotated[
        Annotated[Constant | Exponential | Uniform, Field(discriminator="law")], Tag("table")
    ],
    Discriminator(_number_or_table),
]
