"""Arms whose means are drawn from a prior, anew in every replication."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError, create_model, model_validator
from pydantic.config import ConfigDict

from kcmab_abm.catalogue.entries import (
    LARGEST_MARKET,
    LARGEST_MEMORY,
    Law,
    Reader,
    Settings,
    integral,
)
from kcmab_abm.catalogue.registry import LAWS
from kcmab_abm.model.priors import BETA, LISTED, UNIFORM, Prior
from kcmab_abm.scenario.columns import read_columns
from kcmab_abm.scenario.fields import Share, built_once
from kcmab_abm.scenario.world import Arm

Shape = Annotated[float, Field(ge=1e-3, le=1e6)]
Count = Annotated[int, Field(ge=1, le=LARGEST_MARKET), integral]
NamedPriors = list[tuple[str, Prior]]
MOST_LISTED = LARGEST_MEMORY // 10  # means in a list of markets


class UniformPrior(Settings):
    """Means spread evenly between `low` and `high`."""

    prior: Literal["uniform"] = Field(description="Means spread evenly between two ends.")
    low: Share | None = Field(None, description="the lower end; by default the law's lowest mean")
    high: Share | None = Field(None, description="the upper end; by default the law's highest mean")

    def priors(self, count: int | None, law: Law, read: Reader) -> NamedPriors:
        """Return one prior per arm."""
        least, most = law.within
        low = least if self.low is None else self.low
        high = most if self.high is None else self.high
        if not least <= low <= high <= most:
            raise ValueError(
                f"means: low and high must be from {least:g} to {most:g} for arms of law "
                f"{law.name!r}, and low <= high, got {low:g} and {high:g}"
            )
        return [("", Prior(UNIFORM, low, high))] * _required(count)


class BetaPrior(Settings):
    """Means with a Beta(a, b) distribution."""

    prior: Literal["beta"] = Field(description="Means with a Beta distribution.")
    a: Shape = Field(1.0, description="first shape of the Beta distribution")
    b: Shape = Field(1.0, description="second shape of the Beta distribution")

    def priors(self, count: int | None, law: Law, read: Reader) -> NamedPriors:
        """Return one prior per arm; means beyond what the law allows become the nearest allowed."""
        return [("", Prior(BETA, *law.within, shapes=(self.a, self.b)))] * _required(count)


class ListPrior(Settings):
    """One of the markets in a list, all equally likely."""

    prior: Literal["list"] = Field(description="The means of one of the markets in a list.")
    markets: list[Annotated[list[Share], Field(min_length=1)]] = Field(
        min_length=1, description="the means of all arms, one list per market"
    )

    @model_validator(mode="after")
    def _equally_long(self) -> ListPrior:
        for number, means in enumerate(self.markets):
            if len(means) != len(self.markets[0]):
                raise ValueError(
                    f"markets[{number}] must have as many means as markets[0], "
                    f"{len(self.markets[0])}, got {len(means)}"
                )
        return self

    def priors(self, count: int | None, law: Law, read: Reader) -> NamedPriors:
        """Return one prior per arm, with its means in all markets."""
        columns = list(zip(*self.markets, strict=True))
        names = [f"markets[{{}}][{place}]" for place in range(len(columns))]
        return _listed(count, law, [("", column) for column in columns], names)


class FilePrior(Settings):
    """One of the markets in a file, all equally likely."""

    prior: Literal["file"] = Field(description="The means of one of the markets in a file.")
    file: str = Field(
        min_length=1,
        description="CSV or Parquet file with one row per market, relative to the scenario file",
    )
    columns: list[Annotated[str, Field(min_length=1)]] = Field(
        min_length=1, description="the columns with the means of the arms, one per arm"
    )

    def priors(self, count: int | None, law: Law, read: Reader) -> NamedPriors:
        """Return one prior per arm, with its means in all markets; arms are named by columns."""
        if len(set(self.columns)) < len(self.columns):
            raise ValueError(f"means.columns must be different, got {self.columns}")
        found = read(self.file, dict.fromkeys(self.columns, float))
        columns = [(name, tuple(found[name].tolist())) for name in self.columns]
        names = [f"{self.file!r}: row {{}}: {name!r}" for name in self.columns]
        return _listed(count, law, columns, names, first=1)


PriorTable = Annotated[
    UniformPrior | BetaPrior | ListPrior | FilePrior, Field(discriminator="prior")
]


def _required(count: int | None) -> int:
    if count is None:
        raise ValueError("count: required with this prior, but missing; give the number of arms")
    return count


def _listed(
    count: int | None,
    law: Law,
    columns: list[tuple[str, tuple[float, ...]]],
    names: list[str],
    first: int = 0,
) -> NamedPriors:
    """Return the priors of arms with these means in all markets; `names` are for messages."""
    if count is not None and count != len(columns):
        raise ValueError(f"count: must be the number of arms in a market, {len(columns)}, or none")
    if len(columns) * len(columns[0][1]) > MOST_LISTED:
        raise ValueError(
            f"means: at most {MOST_LISTED:,} numbers are allowed, got {len(columns[0][1]):,} "
            f"markets with {len(columns):,} arms"
        )
    low, high = law.within
    for (_, means), name in zip(columns, names, strict=True):
        for market, mean in enumerate(means, first):
            if not low <= mean <= high:
                raise ValueError(
                    f"means: {name.format(market)} must be from {low:g} to {high:g} for arms of "
                    f"law {law.name!r}, got {mean:g}"
                )
    return [
        (name, Prior(LISTED, min(means), max(means), listed=means, ahead=ahead))
        for ahead, (name, means) in enumerate(columns)
    ]


class RandomArmsTable(Settings):
    """Arms of one law with means drawn from a prior, and the other settings of the law."""

    model_config = ConfigDict(extra="allow")  # of a law without means, which `build` refuses

    law: str
    means: PriorTable = Field(description="the prior from which the means are drawn")
    count: Count | None = Field(
        None, description="number of arms, unless the prior is a list or a file"
    )

    @built_once
    def build(self, folder: Path, tabulated: bool) -> tuple[Arm, ...]:
        """Return the arms for the engines; their rewards are never tabulated.

        Files are relative to `folder`; a ValueError is raised if one is unusable.
        """
        law = LAWS[self.law]
        if not is_given_by_mean(law):
            able = ", ".join(each.name for each in LAWS.values() if is_given_by_mean(each))
            raise ValueError(
                f"arms of law {law.name!r} are not given by their means, so these cannot be drawn; "
                f"use {able}"
            )
        priors = self.means.priors(self.count, law, partial(read_columns, folder))
        row = self._row(law)
        return tuple(Arm(law, row, name=name, prior=prior) for name, prior in priors)

    def _row(self, law: Law) -> tuple[float, ...]:
        """Return the parameters of an arm in the middle, which take on the means drawn."""
        others = {word: getattr(self, word) for word in other_fields(law)}
        given = {word: value for word, value in others.items() if value is not None}
        try:
            plain = law.settings.model_validate({**given, "means": [sum(law.within) / 2.0]})
        except ValidationError as error:
            first = error.errors()[0]
            raise ValueError(str(first.get("ctx", {}).get("error", first["msg"]))) from None
        return plain.rows()[0]


class _MeanArmsTable(RandomArmsTable):
    """Arms of a law that is given by its mean."""

    model_config = ConfigDict(extra="forbid")


def is_given_by_mean(law: Law) -> bool:
    """Return True if arms of this law have a mean that can be drawn."""
    fields = law.settings.model_fields
    return law.move is not None and "means" in fields and "count" not in fields


def other_fields(law: Law) -> dict[str, Any]:
    """Return the settings of a law except the means."""
    return {word: each for word, each in law.settings.model_fields.items() if word != "means"}


def random_arms_tables(laws: Iterable[Law]) -> tuple[type[BaseModel], ...]:
    """Return one table per law; those of laws that are not given by means refuse to be built."""
    return tuple(map(_table, laws))


def _table(law: Law) -> type[BaseModel]:
    title = f"law {law.name}, random means"
    name: Any = (Literal[law.name], Field(description=law.about))
    if not is_given_by_mean(law):
        return create_model(title, __base__=RandomArmsTable, law=name)
    fields: dict[str, Any] = {
        word: (each.annotation, each) for word, each in other_fields(law).items()
    }
    return create_model(title, __base__=_MeanArmsTable, law=name, **fields)


def is_random(value: Any) -> str:
    """Return the tag of a table of arms: 'random' if its means are those of a prior."""
    means = value.get("means") if isinstance(value, dict) else getattr(value, "means", None)
    return "random" if isinstance(means, dict | BaseModel) else "fixed"
