"""The points of a sweep: which settings it varies, and what the scenario's settings are at each."""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kcmab_abm.errors import ScenarioError

LARGEST_SWEEP = 10_000  # points
_KEY = r"[A-Za-z0-9_-]+"
_STEP = re.compile(rf"\.?(?P<key>{_KEY})|\[(?P<entry>0|[1-9][0-9]{{0,8}})\]")
_PATH = re.compile(rf"{_KEY}(\.{_KEY}|\[(0|[1-9][0-9]{{0,8}})\])*")
_LONGEST = 60
_DEEPEST = 20  # levels of tables and lists: twice what a whole scenario has

Path = tuple[str | int, ...]
Point = Mapping[str, Any]
# Named here, because inside the table `list` is one of its keys.
Axes = dict[str, Annotated[list[Any], Field(min_length=1)]]
Points = Annotated[list[dict[str, Any]], Field(min_length=1)]


class SweepTable(BaseModel):
    """Settings to vary: every combination of a grid, or the points of a list and no others."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"oneOf": [{"required": ["grid"]}, {"required": ["list"]}]},
    )

    grid: Axes | None = Field(None, description="a list of values for each setting's path")
    list: Points | None = Field(None, description="tables of paths and values, one a point")

    @model_validator(mode="after")
    def _one_of_two(self) -> SweepTable:
        if self.grid is not None and self.list is not None:
            raise ValueError("takes a grid or a list of points, got both; leave one of them out")
        if not any(self.points_given()):
            raise ValueError('varies nothing; give a grid, such as { "horizon" = [100, 1000] }')
        if _is_deeper([self.grid, self.list], _DEEPEST):
            raise ValueError("holds values that are nested too deeply; no setting is")
        return self

    def points_given(self) -> Iterator[dict[str, Any]]:
        """Every point, in the order of the file; the last axis of a grid changes fastest."""
        if self.list is not None:
            yield from self.list
        elif self.grid is not None:
            for values in product(*self.grid.values()):
                yield dict(zip(self.grid, values, strict=True))

    def count(self) -> int:
        """How many points there are."""
        if self.list is not None:
            return len(self.list)
        return math.prod(len(values) for values in (self.grid or {}).values())

    def axes(self) -> tuple[str, ...]:
        """The paths that some point sets, in the order of the file."""
        tables = self.list if self.list is not None else [self.grid or {}]
        return tuple(dict.fromkeys(path for table in tables for path in table))


@dataclass(frozen=True)
class Sweep:
    """A checked sweep: its axes (paths of settings), its points, the settings it starts from."""

    axes: tuple[str, ...]
    points: tuple[Point, ...]
    base: Mapping[str, Any] = field(repr=False, compare=False)
    labels: tuple[str, ...] = field(repr=False, compare=False)

    def settings(self, point: Point) -> dict[str, Any]:
        """The scenario's settings at a point; a policy keeps its label while its name stays."""
        settings = copy.deepcopy(dict(self.base))
        # Whole tables first: another path may change a setting within one.
        for path in sorted(point, key=lambda each: len(steps(each))):
            _put(settings, steps(path), copy.deepcopy(point[path]))
        policies = settings.get("policy")
        here = policies if isinstance(policies, list) else []
        for old, new, label in zip(self.base["policy"], here, self.labels, strict=False):
            if isinstance(new, dict) and new.get("name") == old["name"]:
                new.setdefault("label", label)
        return settings


def make_sweep(
    table: SweepTable, base: Mapping[str, Any], labels: tuple[str, ...], problems: list[str]
) -> Sweep | None:
    """The sweep of a scenario whose other settings are `base`; None if it has problems."""
    found = [f"sweep: {problem}" for path in table.axes() if (problem := _fault(path))]
    if table.count() > LARGEST_SWEEP:
        found.append(
            f"sweep: must be at most {LARGEST_SWEEP:,} points, got {table.count():,}; "
            "leave out values, or split it into several files"
        )
    if not found:
        found.extend(_twins(table))
    problems.extend(found)
    if found:
        return None
    return Sweep(table.axes(), tuple(table.points_given()), base, labels)


def _fault(path: str) -> str:
    """What is wrong with a path, '' if nothing."""
    if not _PATH.fullmatch(path):
        return (
            f"{_short(repr(path))} is not the path of a setting; write it as in "
            "'market.customers.tau' or 'policy[1].epsilon', entries counted from 0"
        )
    if steps(path)[0] == "sweep":
        return f"{_short(repr(path))}: a sweep cannot vary itself; give the path of another setting"
    return ""


def _twins(table: SweepTable) -> Iterator[str]:
    """The first two points that are the same, if any are."""
    seen: dict[Hashable, int] = {}
    for number, point in enumerate(table.points_given(), 1):
        first = seen.setdefault(_frozen(point), number)
        if first != number:
            yield (
                f"{point_name(number, point)}: is the same as point {first}; "
                "give every value and every point once"
            )
            return


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
    """How messages call a point; points are counted from 1."""
    values = ", ".join(f"{path} = {_short(written(value))}" for path, value in point.items())
    return f"sweep point {number} ({values or 'as the file has it'})"


def steps(path: str) -> Path:
    """The keys and places along a path.

    >>> steps("policy[1].epsilon")
    ('policy', 1, 'epsilon')
    """
    found = _STEP.finditer(path)
    return tuple(step["key"] if step["entry"] is None else int(step["entry"]) for step in found)


def look_up(settings: Any, path: Path) -> Any:
    """The value at a path, None where there is none."""
    for step in path:
        inside = isinstance(settings, Mapping) if isinstance(step, str) else _has(settings, step)
        if not inside:
            return None
        settings = settings.get(step) if isinstance(step, str) else settings[step]
    return settings


def _has(value: Any, entry: int) -> bool:
    return isinstance(value, list) and entry < len(value)


def _put(settings: dict[str, Any], path: Path, value: Any) -> None:
    """Set the value at a path; tables on the way to it are made if they are not there."""
    here: Any = settings
    place = ""
    for step, following in zip(path, [*path[1:], None], strict=True):
        _check_step(here, step, place)
        place = f"{place}[{step}]" if isinstance(step, int) else f"{place}.{step}".lstrip(".")
        if following is None:
            here[step] = value
        elif isinstance(step, str):
            here = here.setdefault(step, {})
        else:
            here = here[step]


def _check_step(here: Any, step: str | int, place: str) -> None:
    if isinstance(step, str):
        if not isinstance(here, dict):
            found = _short(written(here))
            raise ScenarioError([f"{place}: must be a table to have {step!r} set, got {found}"])
    elif not isinstance(here, list):
        found = "nothing" if here == {} else _short(written(here))
        raise ScenarioError([f"{place}: must be a list to have entry [{step}] set, got {found}"])
    elif step >= len(here):
        raise ScenarioError(
            [f"{place}[{step}]: no such entry; {place} has [0] to [{len(here) - 1}]"]
        )


def written(value: Any) -> str:
    """A value as a scenario file would have it.

    >>> print(written({"behaviour": "logit", "tau": 0.1}))
    { behaviour = "logit", tau = 0.1 }
    """
    if isinstance(value, Mapping):
        entries = [f"{written_key(str(key))} = {written(each)}" for key, each in value.items()]
        return f"{{ {', '.join(entries)} }}" if entries else "{ }"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    try:
        return str(value)
    except ValueError:  # Python writes no more than 4 300 digits
        return "a number of thousands of digits"


def written_key(key: str) -> str:
    """A key as a scenario file would have it: in quotes if TOML wants them."""
    return key if re.fullmatch(_KEY, key) else written(key)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
