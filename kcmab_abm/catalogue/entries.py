"""What stands in the catalogue: policies, behaviours, prices, disclosures and reward laws."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, ConfigDict

from kcmab_abm.catalogue.needs import Needs
from kcmab_abm.catalogue.roles import ROLES, asked, calling
from kcmab_abm.errors import MarketError
from kcmab_abm.model.book import sealed

Number = int | float
Kind = Literal[
    "policy", "behaviour", "decision", "pricing rule", "disclosure", "measure", "run measure"
]
Reader = Callable[[str, Mapping[str, type]], Mapping[str, NDArray[Any]]]
Contents = Callable[[int, Mapping[str, Any]], "int | NDArray[np.float64]"]
Table = Callable[[int, Mapping[str, Any]], NDArray[Any]]

LARGEST_WHOLE = 2**53  # compiled code reads parameters as floats
SIZES = ("arms", "horizon")  # of a market, which memory may be as long as
LARGEST_MARKET = 10_000  # arms
LARGEST_MEMORY = 2 * 10**7  # numbers that one agent may keep


@dataclass(frozen=True)
class Parameter:
    """A number that a policy or behaviour takes: its default, its range, what it means.

    A default that is an int makes a whole number, one that is a bool a choice of true or false. The
    bounds are named as in pydantic: `gt` is "greater than", `ge` "greater than or equal", `lt` and
    `le` likewise. `estimated` is False if a fit never estimates it from choices, such as a seed.
    """

    default: Number
    about: str = ""
    gt: Number | None = None
    ge: Number | None = None
    lt: Number | None = None
    le: Number | None = None
    estimated: bool = True

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


def _whole(value: Any) -> Any:
    """A float without a fraction, such as 1e4, as the whole number that it stands for."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# For whole numbers of a file, outermost: Annotated[int, Field(ge=0), integral].
integral = BeforeValidator(_whole)


class Settings(BaseModel):
    """Settings of a scenario file: no unknown keys, no silent conversions, no NaN."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


@dataclass(frozen=True, eq=False)
class Entry:
    """A policy, a behaviour and so on: plain functions and what the engines need to know.

    `act` decides (a policy's target, a customer's arm, the price of an offer), fills in what a
    customer sees, or counts; `learn` hears every report, `answered` every choice; `report`, of a
    behaviour, is what a customer says of her reward. Each lists the arguments that it needs
    (`roles.py`); `calls` has them with all arguments of their role. `memory` names the float arrays
    they may write to, each with its length: "arms", "horizon", the name of a parameter, a number,
    or a function of the number of arms and all settings that returns a length or the numbers to
    begin with. Memory is as it was at the start when a replication begins.

    A behaviour with a belief, which any decision can follow, has `value`: it fills in what each arm
    is worth to the customer, and `money_value` returns what a payment of 1 is. `is_belief` is set
    if `act` is generated from these. A decision may also fill in the `chances` of its choices.

    `settings` are those that are not numbers. An entry that has `compose` makes new ones out of
    others, which are then the `parts` of the new one; `made_by` made this one of its parts.

    `tables` are arrays that all replications share and nobody writes to, each made by a function of
    the number of arms and all settings. `needs` are the markets that it is made for, if not all.
    """

    kind: Kind
    name: str
    act: Callable[..., Any]
    learn: Callable[..., None] | None = None
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    memory: Mapping[str, str | int | Contents] = field(default_factory=dict)
    cites: str = ""
    report: Callable[..., float] | None = None
    answered: Callable[..., None] | None = None
    settings: type[Settings] | None = None
    compose: Callable[[tuple[Entry, ...]], Entry] | None = None
    parts: tuple[Entry, ...] = ()
    made_by: Callable[[tuple[Any, ...]], Entry] | None = None
    value: Callable[..., None] | None = None
    money_value: Callable[..., float] | None = None
    chances: Callable[..., None] | None = None
    is_belief: bool = False
    tables: Mapping[str, Table] = field(default_factory=dict)
    needs: Needs | None = None

    @property
    def about(self) -> str:
        """The first line of the docstring."""
        return first_line(self.act)

    @property
    def module(self) -> str:
        """The module in which it was written."""
        return self.act.__module__

    @property
    def is_own(self) -> bool:
        """Whether it comes with the package, and is tested with it."""
        return is_own(self.module)

    @property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """The functions that it has, by the field that holds them."""
        fields = ("act", "value", "money_value", "chances", "learn", "answered", "report")
        return {field: getattr(self, field) for field in fields if getattr(self, field)}

    @cached_property
    def calls(self) -> dict[str, Callable[..., Any]]:
        """These functions with all arguments of their role, as engines call them."""
        roles = ROLES[self.kind]
        return {field: calling(each, roles[field]) for field, each in self.functions.items()}

    @property
    def hears(self) -> tuple[str, ...]:
        """The names of the behaviours in it that learn from reports as these come."""
        if self.parts:
            return tuple(dict.fromkeys(name for part in self.parts for name in part.hears))
        return (self.name,) if self.learn else ()

    def ask(self, field: str, **given: Any) -> Any:
        """Call one of its functions with what it asks for of what is given; for tests."""
        function = self.functions[field]
        words = asked(function, ROLES[self.kind][field])
        return function(**{word: given[word] for word in words})

    def asks_for(self, word: str) -> bool:
        """Whether any of its functions asks for this argument."""
        roles = ROLES[self.kind]
        return any(word in asked(each, roles[field]) for field, each in self.functions.items())

    def params(self, values: tuple[Number, ...]) -> Any:
        """The parameters as the functions read them, by name."""
        return fields_type(tuple(self.parameters))(*values)

    def defaults(self) -> dict[str, Any]:
        """All settings as they are unless a scenario says otherwise."""
        extra = self.settings().model_dump() if self.settings else {}
        return {word: each.default for word, each in self.parameters.items()} | extra

    def blank_memory(self, arms: int, given: Mapping[str, Any]) -> list[NDArray[np.float64]]:
        """The arrays of the memory as a replication in a market of `arms` arms finds them.

        `given` are all settings, and the horizon.
        """
        lengths: dict[Any, Any] = {**given, "arms": arms}
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

    def new_tables(self, arms: int, given: Mapping[str, Any]) -> Any:
        """The tables by name, for a market of `arms` arms; `given` is as for the memory."""
        made = []
        for word, table in self.tables.items():
            numbers = np.ascontiguousarray(table(arms, given))
            if numbers.dtype.kind not in "biuf":
                raise MarketError(
                    f"{self.kind} {self.name!r}: table {word!r} must have numbers, got an array of "
                    f"{numbers.dtype}"
                )
            made.append(sealed(numbers))
        return fields_type(tuple(self.tables))(*made)

    def memory_fields(self, arrays: list[NDArray[np.float64]]) -> Any:
        """The memory as the functions read it, by name."""
        return fields_type(tuple(self.memory))(*arrays)


class LawSettings(Settings):
    """What a scenario file says of the arms of one law; `rows` gives one row of numbers per arm."""

    def rows(self) -> list[tuple[float, ...]]:
        """The numbers that the law's functions read, one row for each arm."""
        raise NotImplementedError

    def named_rows(self, read: Reader) -> list[tuple[str, tuple[float, ...]]]:
        """The name and the numbers of each arm; only laws whose arms come from a file have names.

        Parameters
        ----------
        read
            `read(file, {column: str or float, ...})` reads columns of a CSV or Parquet file.
        """
        return [("", row) for row in self.rows()]


@dataclass(frozen=True, eq=False)
class Law:
    """A reward law on [0, 1]: its quantile function, its moments, its settings.

    The theory also needs its `density(x, row)`, or its `atoms(row)` as value -> probability; a law
    without either can still be simulated. Arms that change need `move(mean, row, moved)`,
    which writes into `moved` the numbers of the same law with another mean, one `within` bounds.
    `tabulate(row)` makes a longer row from which `reward` reads faster; it is used for steady arms
    as long as there are few.
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
    tabulate: Callable[[tuple[float, ...]], tuple[float, ...]] | None = None

    @property
    def kind(self) -> str:
        """What it is, for messages."""
        return "law"

    @property
    def about(self) -> str:
        """The first line of the docstring."""
        return first_line(self.reward)

    @property
    def module(self) -> str:
        """The module in which it was written."""
        return self.reward.__module__

    @cached_property
    def is_own(self) -> bool:
        """Whether it comes with the package, and is tested with it."""
        return is_own(self.module)

    @property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """The functions that engines call, by the field that holds them."""
        found = {"reward": self.reward, "move": self.move}
        return {field: each for field, each in found.items() if each}

    @cached_property
    def calls(self) -> dict[str, Callable[..., Any]]:
        """These functions with all arguments of their role, as engines call them."""
        return {field: calling(each, ROLES["law"][field]) for field, each in self.functions.items()}


def is_own(module: str) -> bool:
    """Whether a module of that name belongs to the package."""
    return module.partition(".")[0] == __name__.partition(".")[0]


@cache
def fields_type(names: tuple[str, ...]) -> Any:
    """The named tuple with these fields; one class for each set of names."""
    return namedtuple("Fields", names)  # noqa: PYI024 (the fields are known only now)


def first_line(function: Callable[..., Any]) -> str:
    """The first line of a function's docstring."""
    return (function.__doc__ or "").strip().partition("\n")[0].strip()
