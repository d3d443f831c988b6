"""Sweeps: the settings that are varied, and their values."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from kcmab_abm.catalogue.registry import unknown
from kcmab_abm.errors import ScenarioError
from kcmab_abm.scenario.fields import DEEPEST
from kcmab_abm.scenario.market_table import MarketTable
from kcmab_abm.scenario.paths import LONGEST, fault, short, steps, written
from kcmab_abm.scenario.purse import PurseTable
from kcmab_abm.scenario.sampling import (
    LabelsTable,
    RangeTable,
    SampleTable,
    Varied,
    whole_settings,
)

LARGEST_SWEEP = 10_000  # points
MOST_NAMED = 2  # settings of a point in a message

Point = Mapping[str, Any]
# Defined here because `list` is a field inside the table.
_Values = Annotated[
    Annotated[Annotated[list[Any], Field(min_length=1)], Tag("list")]
    | Annotated[LabelsTable, Tag("labels")],
    Discriminator(lambda given: "labels" if isinstance(given, dict | LabelsTable) else "list"),
]
Axes = dict[str, _Values]
Points = Annotated[list[dict[str, Any]], Field(min_length=1)]


@dataclass(frozen=True)
class Sweep:
    """A checked sweep: the paths of the settings varied, and their values at every point.

    Tables show a point as in `shown`, where values with labels are replaced by these. `sample` is
    the design of a sampled sweep, and `labelled` are the settings whose values have labels.
    """

    axes: tuple[str, ...]
    points: tuple[Point, ...]
    shown: tuple[Point, ...]
    sample: SampleTable | None = None
    labelled: tuple[str, ...] = ()


class SweepTable(BaseModel):
    """Settings to vary: all combinations of a grid, the points of a list, or a sample of ranges.

    The ranges of a sample are further keys, the paths of the settings.
    """

    model_config = ConfigDict(
        extra="allow",
        frozen=True,
        strict=True,
        json_schema_extra={
            "oneOf": [{"required": [each]} for each in ("grid", "list", "sample")],
        },
    )
    __pydantic_extra__: dict[str, Varied]

    grid: Axes | None = Field(
        None, description="for the path of each setting a list of values, or a table of labels"
    )
    list: Points | None = Field(None, description="tables of paths and values, one per point")
    sample: SampleTable | None = Field(
        None, description="how points are spread over the ranges of the other keys"
    )

    @model_validator(mode="before")
    @classmethod
    def _ranges_need_a_sample(cls, given: Any) -> Any:
        if isinstance(given, dict) and "sample" not in given:
            for word in given:
                if word not in cls.model_fields:
                    raise ValueError(unknown("setting", str(word)[:LONGEST], [*cls.model_fields]))
        return given

    @model_validator(mode="after")
    def _one_of_three(self) -> SweepTable:
        kinds = {word: getattr(self, word) for word in type(self).model_fields}
        found = [word for word, each in kinds.items() if each is not None]
        if len(found) > 1:
            raise ValueError(
                "takes a grid, a list of points, or a sample of ranges, got "
                f"{' and '.join(found)}; leave out all but one"
            )
        if self.sample is not None:
            self._check_ranges()
        for path, each in (self.grid or {}).items():
            if isinstance(each, LabelsTable) and _is_unquoted(path, each.root):
                raise ValueError(
                    f"grid.{path}: must be a list in [ ] (is the path one key, in quotes?), got a "
                    "table"
                )
        if self.sample is None and not any(self.points_given()):
            raise ValueError('varies nothing; give a grid, such as { "horizon" = [100, 1000] }')
        grid = [_plain(values) for values in (self.grid or {}).values()]
        if _is_deeper([grid, self.list, self.ranges_given()], DEEPEST):
            raise ValueError("holds values that are nested too deeply; no setting is")
        return self

    @property
    def ranges(self) -> dict[str, RangeTable | LabelsTable]:
        """The ranges of a sample, by path."""
        return self.__pydantic_extra__ or {}

    def ranges_given(self) -> dict[str, Any]:
        """Return the ranges of a sample as plain values."""
        return {path: each.model_dump() for path, each in self.ranges.items()}

    def _check_ranges(self) -> None:
        if not self.ranges:
            raise ValueError(
                "the sample varies nothing; give ranges, such as "
                '"market.customers.tau" = { low = 0.0, high = 1.0 }'
            )
        for path, each in self.ranges.items():
            if isinstance(each, LabelsTable) and _holds_range(each.root):
                raise ValueError(
                    f"{path!r} has a range within a table; is the path one key, in quotes?"
                )

    def points_given(self, shown: bool = False) -> Iterator[dict[str, Any]]:
        """Yield all points in the order of the file; the last axis of a grid varies fastest.

        If `shown`, values with labels are replaced by these.
        """
        if self.list is not None:
            yield from self.list
        elif self.grid is not None:
            columns = (_values(each, shown) for each in self.grid.values())
            for values in product(*columns):
                yield dict(zip(self.grid, values, strict=True))

    def count(self) -> int:
        """Return the number of points."""
        if self.sample is not None:
            return self.sample.count(len(self.ranges))
        if self.list is not None:
            return len(self.list)
        return math.prod(len(_values(each)) for each in (self.grid or {}).values())

    def axes(self) -> tuple[str, ...]:
        """Return the paths set by any point, in the order of the file."""
        if self.sample is not None:
            return tuple(self.ranges)
        tables = self.list if self.list is not None else [self.grid or {}]
        return tuple(dict.fromkeys(path for table in tables for path in table))

    def build(self, base: BaseModel) -> Sweep:
        """Return the sweep, if its paths are valid and its points differ.

        `base` are the settings without the sweep. Points of a sample may coincide.
        """
        found = [f"sweep: {wrong}" for path in self.axes() if (wrong := _fault(path))]
        if self.count() > LARGEST_SWEEP:
            found.append(
                f"sweep: must be at most {LARGEST_SWEEP:,} points, got {self.count():,}; "
                "leave out values, or split it into several files"
            )
        if self.sample is None:
            found = found or [*_twins(self)]
        if found:
            raise ScenarioError(found)
        varied: Mapping[str, Any] = self.grid or self.ranges
        labelled = tuple(path for path in varied if isinstance(varied[path], LabelsTable))
        if self.sample is None:
            points = tuple(self.points_given())
            return Sweep(self.axes(), points, tuple(self.points_given(True)), None, labelled)
        drawn = self.sample.settings_at(self.ranges, whole_settings(base, self.ranges))
        points, shown = (
            tuple({path: pair[side] for path, pair in point.items()} for point in drawn)
            for side in (0, 1)
        )
        return Sweep(self.axes(), points, shown, self.sample, labelled)


def told_once(found: Mapping[str, list[str]]) -> list[str]:
    """Return one line per problem, with the first point that has it and the number of others."""
    return [
        f"{points[0]}: {problem}" + (f" (and at {len(points) - 1} more)" if points[1:] else "")
        for problem, points in found.items()
    ]


def _is_unquoted(path: str, labels: Mapping[str, Any]) -> bool:
    """Return True if what should be labels are the settings of a table: a path without quotes."""
    tables: dict[str, type[BaseModel]] = {"market": MarketTable, "purse": PurseTable}
    table = tables.get(path)
    return table is not None and not set(labels).isdisjoint(table.model_fields)


def _plain(values: list[Any] | LabelsTable) -> Any:
    return values.root if isinstance(values, LabelsTable) else values


def _values(values: list[Any] | LabelsTable, shown: bool = False) -> list[Any]:
    """Return the values of a setting, or what tables show of them."""
    if isinstance(values, LabelsTable):
        return list(values.root if shown else values.root.values())
    return values


def _fault(path: str) -> str:
    """Say what is wrong with a path; '' if nothing."""
    wrong = fault(path)
    if not wrong and steps(path)[0] == "sweep":
        return f"{short(repr(path))}: a sweep cannot vary itself; give the path of another setting"
    return wrong


def _twins(table: SweepTable) -> Iterator[str]:
    """Report the first two equal points, if any."""
    seen: dict[Hashable, int] = {}
    for number, point in enumerate(table.points_given(), 1):
        first = seen.setdefault(_frozen(point), number)
        if first != number:
            yield (
                f"{point_name(number, point)}: is the same as point {first}; "
                "give every value and every point once"
            )
            return


def _holds_range(value: Any) -> bool:
    """Return True if a nested table seems to be a range."""
    if not isinstance(value, dict):
        return False
    return any(
        isinstance(each, dict)
        and (_holds_range(each) or {"low", "high"} <= set(each) <= {"low", "high", "log"})
        for each in value.values()
    )


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in inner)


def _frozen(value: Any) -> Hashable:
    if isinstance(value, dict):
        return frozenset((key, _frozen(each)) for key, each in value.items())
    if isinstance(value, list):
        return tuple(_frozen(each) for each in value)
    return repr(value) if not isinstance(value, Hashable) else value


def point_name(number: int, point: Point) -> str:
    """Return the name of a point in messages; points are counted from 1."""
    longest = LONGEST if len(point) < 2 else max(20, LONGEST // (len(point) + 1))
    values = [
        f"{short(path, 32)} = {short(written(value), longest)}"
        for path, value in list(point.items())[:MOST_NAMED]
    ]
    if len(point) > MOST_NAMED:
        values.append(f"and {len(point) - MOST_NAMED} more")
    return f"sweep point {number} ({', '.join(values) or 'as the file has it'})"
