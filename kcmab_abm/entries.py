"""What stands in the catalogue: policies, behaviours, pricing rules and reward laws."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

Number = int | float
Kind = Literal["policy", "behaviour", "pricing rule"]
Contents = Callable[[int, Mapping[str, Any]], "int | NDArray[np.float64]"]

LARGEST_WHOLE = 2**53  # compiled code reads parameters as floats
LARGEST_MEMORY = 2 * 10**7  # numbers that one agent may keep


@dataclass(frozen=True)
class Parameter:
    """A number that a policy or behaviour takes: its default, its range, what it means.

    A default that is an int makes a whole number, one that is a bool a choice of true or false. The
    bounds are named as in pydantic: `gt` is "greater than", `ge` "greater than or equal", `lt` and
    `le` likewise.
    """

    default: Number
    about: str = ""
    gt: Number | None = None
    ge: Number | None = None
    lt: Number | None = None
    le: Number | None = None

    @property
    def shown(self) -> str:
        """The default as a scenario file writes it."""
        return str(self.default).lower() if isinstance(self.default, bool) else f"{self.default:g}"

    @property
    def range(self) -> str:
        """The allowed range in words, such as '> 0'."""
        if isinstance(self.default, bool):
            return "true or false"
        signs = {">": self.gt, ">=": self.ge, "<": self.lt, "<=": self.le}
        limits = [f"{sign} {limit:g}" for sign, limit in signs.items() if limit is not None]
        return " and ".join(limits) or "any number"


class Settings(BaseModel):
    """Settings of a scenario file: no unknown keys, no silent conversions, no NaN."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


@dataclass(frozen=True, eq=False)
class Entry:
    """A policy, a behaviour or a pricing rule: plain functions and what the engines need to know.

    `act` decides (a policy's target, a customer's arm, the price of an offer); `learn`, if there is
    one, hears what came of it; `report`, of a behaviour, is what a customer says of her reward.
    `memory` names the float arrays they may write to, each with its length: "arms", the name of a
    parameter, a number, or a function of the number of arms and all settings that returns a length
    or the numbers to begin with. Memory is as it was at the start when a replication begins.

    `settings` are those that are not numbers. An entry that has `compose` makes new ones out of
    others, which are then the `parts` of the new one.
    """

    kind: Kind
    name: str
    act: Callable[..., Any]
    learn: Callable[..., None] | None = None
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    memory: Mapping[str, str | int | Contents] = field(default_factory=dict)
    cites: str = ""
    report: Callable[..., float] | None = None
    settings: type[Settings] | None = None
    compose: Callable[[tuple[Entry, ...]], Entry] | None = None
    parts: tuple[Entry, ...] = ()

    @property
    def about(self) -> str:
        """The first line of the docstring."""
        return first_line(self.act)

    @property
    def module(self) -> str:
        """The module in which it was written."""
        return self.act.__module__

    def params(self, values: tuple[Number, ...]) -> Any:
        """The parameters as the functions read them, by name."""
        return fields_type(tuple(self.parameters))(*values)

    def defaults(self) -> dict[str, Any]:
        """All settings as they are unless a scenario says otherwise."""
        extra = self.settings().model_dump() if self.settings else {}
        return {word: each.default for word, each in self.parameters.items()} | extra

    def blank_memory(self, arms: int, given: Mapping[str, Any]) -> list[NDArray[np.float64]]:
        """The arrays of the memory as a replication in a market of `arms` arms finds them."""
        lengths: dict[object, Any] = {"arms": arms}
        lengths.update(given)
        parts = [
            size(arms, given) if callable(size) else int(lengths.get(size, size))
            for size in self.memory.values()
        ]
        total = sum(part if isinstance(part, int) else len(part) for part in parts)
        if total > LARGEST_MEMORY:
            raise ValueError(
                f"{self.name!r} would remember {total:,} numbers with these settings and {arms} "
                f"arms; at most {LARGEST_MEMORY:,} are allowed"
            )
        return [np.zeros(part) if isinstance(part, int) else part for part in parts]

    def memory_fields(self, arrays: list[NDArray[np.float64]]) -> Any:
        """The memory as the functions read it, by name."""
        return fields_type(tuple(self.memory))(*arrays)


class LawSettings(Settings):
    """What a scenario file says of the arms of one law; `rows` gives numbers, one row an arm."""

    def rows(self) -> list[tuple[float, ...]]:
        """The numbers that the law's functions read, one row for each arm."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Law:
    """A reward law on [0, 1]: its quantile function, its moments, its settings.

    The theory also wants its `density(x, row)`, or its `atoms(row)` as value -> probability; a law
    that has neither can be simulated all the same. Arms that change need `move(mean, row, moved)`,
    which writes into `moved` the numbers of the same law with another mean, one `within` bounds. A
    `costly` law is worth computing once for all policies.
    """

    name: str
    reward: Callable[..., float]
    mean: Callable[..., float]
    variance: Callable[..., float]
    settings: type[LawSettings]
    cites: str = ""
    density: Callable[..., float] | None = None
    atoms: Callable[..., dict[float, float]] | None = None
    move: Callable[..., None] | None = None
    within: tuple[float, float] = (0.0, 1.0)
    costly: bool = False

    @property
    def about(self) -> str:
        """The first line of the docstring."""
        return first_line(self.reward)

    @property
    def module(self) -> str:
        """The module in which it was written."""
        return self.reward.__module__


@cache
def fields_type(names: tuple[str, ...]) -> Any:
    """The named tuple with these fields; one class for each set of names."""
    return namedtuple("Fields", names)  # noqa: PYI024 (the fields are known only now)


def first_line(function: Callable[..., Any]) -> str:
    """The first line of a function's docstring."""
    return (function.__doc__ or "").strip().partition("\n")[0].strip()
