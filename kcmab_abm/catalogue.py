"""Policies, behaviours and reward laws by name: registered by a decorator, found by discovery.

A policy is one file with one decorated function; nothing else is edited to add it. The same
decorators work in a user's script or notebook cell.
"""

from __future__ import annotations

import difflib
import importlib
import keyword
import pkgutil
import re
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from kcmab_abm.errors import MarketError, UnknownNameError

Number = int | float
PlainFunction = TypeVar("PlainFunction", bound=Callable[..., Any])

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_PACKAGE = "kcmab_abm"
LARGEST_WHOLE = 2**53  # compiled code reads parameters as floats


@dataclass(frozen=True)
class Parameter:
    """A number that a policy or behaviour takes: its default, its range, what it means.

    A default that is an int makes a whole number. The bounds are named as in pydantic: `gt` is
    "greater than", `ge` "greater than or equal", `lt` and `le` likewise.
    """

    default: Number
    about: str = ""
    gt: Number | None = None
    ge: Number | None = None
    lt: Number | None = None
    le: Number | None = None

    @property
    def range(self) -> str:
        """The allowed range in words, such as '> 0'."""
        signs = {">": self.gt, ">=": self.ge, "<": self.lt, "<=": self.le}
        limits = [f"{sign} {limit:g}" for sign, limit in signs.items() if limit is not None]
        return " and ".join(limits) or "any number"


@dataclass(frozen=True, eq=False)
class Entry:
    """A policy or a behaviour: plain functions and what the engines need to know of them.

    `act` decides (a policy's target, a customer's arm); `learn`, if there is one, hears every
    report. `memory` names the float arrays they may write to, each with its length: "arms", the
    name of a parameter, or a number. Memory is zero when a replication starts.
    """

    kind: Literal["policy", "behaviour"]
    name: str
    act: Callable[..., int]
    learn: Callable[..., None] | None = None
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    memory: Mapping[str, str | int] = field(default_factory=dict)
    cites: str = ""

    @property
    def about(self) -> str:
        """The first line of the docstring."""
        return first_line(self.act)

    @property
    def module(self) -> str:
        """The module in which it was written."""
        return self.act.__module__

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process finds its own entry, so that a kernel is loaded once and not once a task.
        parts = (self.act, self.learn, self.parameters, self.memory, self.cites)
        return _restore, (self.kind, self.name, *parts)

    def params(self, values: tuple[Number, ...]) -> Any:
        """The parameters as the functions read them, by name."""
        return fields_type(tuple(self.parameters))(*values)

    def memory_sizes(self, arms: int, values: tuple[Number, ...]) -> tuple[int, ...]:
        """The length of each array of the memory in a market of `arms` arms."""
        lengths: dict[object, Number] = {"arms": arms}
        lengths.update(zip(self.parameters, values, strict=True))
        return tuple(int(lengths.get(size, size)) for size in self.memory.values())


class LawSettings(BaseModel):
    """What a scenario file says of the arms of one law; `rows` gives numbers, one row an arm."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def rows(self) -> list[tuple[float, ...]]:
        """The numbers that the law's functions read, one row for each arm."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Law:
    """A reward law on [0, 1]: its quantile function, its moments, its settings.

    The theory also wants its `density(x, row)`, or its `atoms(row)` as value -> probability; a law
    that has neither can be simulated all the same. A `costly` law is worth computing once for all
    policies.
    """

    name: str
    reward: Callable[..., float]
    mean: Callable[..., float]
    variance: Callable[..., float]
    settings: type[LawSettings]
    cites: str = ""
    density: Callable[..., float] | None = None
    atoms: Callable[..., dict[float, float]] | None = None
    costly: bool = False

    @property
    def about(self) -> str:
        """The first line of the docstring."""
        return first_line(self.reward)

    @property
    def module(self) -> str:
        """The module in which it was written."""
        return self.reward.__module__

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_law, tuple(getattr(self, part.name) for part in fields(self))


class Named(Protocol):
    """Anything that has a name and a description."""

    @property
    def name(self) -> str:
        """The name in files and commands."""

    @property
    def about(self) -> str:
        """One line of description."""

    @property
    def module(self) -> str:
        """Where it was written."""


Item = TypeVar("Item", bound=Named)


class Catalogue(Generic[Item]):
    """Named items of one kind; those of the package are found by importing its folder."""

    def __init__(self, kind: str, folder: str) -> None:
        self.kind = kind
        self._folder = f"{_PACKAGE}.{folder}"
        self._items: dict[str, Item] = {}
        self._discovered = False

    def add(self, item: Item) -> None:
        """Put an item under its name; a name of the package's own cannot be taken again."""
        if not _NAME.fullmatch(item.name):
            raise MarketError(
                f"{self.kind} {item.name!r}: a name is lower-case words joined by hyphens, "
                "such as 'my-rule'"
            )
        if not self._is_own(item) and item.name in self.own_names():
            raise MarketError(
                f"{self.kind} {item.name!r} is already in the catalogue; choose another name"
            )
        self._items[item.name] = item

    def find(self, name: str) -> Item:
        """The item of that name, or an error that suggests one."""
        self._discover()
        if name not in self._items:
            raise UnknownNameError(unknown(self.kind, name, self.names()))
        return self._items[name]

    def names(self) -> list[str]:
        """All names, in alphabetical order."""
        self._discover()
        return sorted(self._items)

    def own_names(self) -> list[str]:
        """The names that come with the package, in alphabetical order."""
        self._discover()
        return sorted(name for name, item in self._items.items() if self._is_own(item))

    def __iter__(self) -> Iterator[Item]:
        return iter([self._items[name] for name in self.names()])

    def _is_own(self, item: Item) -> bool:
        return item.module.startswith(f"{self._folder}.")

    def _discover(self) -> None:
        if self._discovered:
            return
        self._discovered = True  # the modules look themselves up while they are imported
        folder = importlib.import_module(self._folder)
        for module in pkgutil.iter_modules(folder.__path__):
            importlib.import_module(f"{self._folder}.{module.name}")


POLICIES: Catalogue[Entry] = Catalogue("policy", "policies")
BEHAVIOURS: Catalogue[Entry] = Catalogue("behaviour", "behaviours")
LAWS: Catalogue[Law] = Catalogue("law", "arms")


def policy(
    name: str,
    *,
    cites: str = "",
    learn: Callable[..., None] | None = None,
    memory: Mapping[str, str | int] | None = None,
    **parameters: Parameter,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register `choose(t, book, memory, params, rng)`, which returns the arm to promote.

    >>> from kcmab_abm import leader, policy
    >>> @policy("follow-the-leader", cites="Section 1")
    ... def choose(t, book, memory, params, rng):
    ...     '''Always promote the arm with the best record; pays nothing.'''
    ...     return leader(book, rng)
    """
    return _register(POLICIES, "policy", name, cites, learn, memory, parameters)


def behaviour(
    name: str,
    *,
    cites: str = "",
    learn: Callable[..., None] | None = None,
    memory: Mapping[str, str | int] | None = None,
    **parameters: Parameter,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register `take(t, book, board, memory, params, rng)`: the arm taken, or -1 to leave."""
    return _register(BEHAVIOURS, "behaviour", name, cites, learn, memory, parameters)


def law(
    name: str,
    *,
    settings: type[LawSettings],
    mean: Callable[..., float],
    variance: Callable[..., float],
    cites: str = "",
    density: Callable[..., float] | None = None,
    atoms: Callable[..., dict[float, float]] | None = None,
    costly: bool = False,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register `reward(u, row)`, the quantile function of a law on [0, 1]."""

    def keep(function: PlainFunction) -> PlainFunction:
        LAWS.add(Law(name, function, mean, variance, settings, cites, density, atoms, costly))
        return function

    return keep


def _register(
    catalogue: Catalogue[Entry],
    kind: Literal["policy", "behaviour"],
    name: str,
    cites: str,
    learn: Callable[..., None] | None,
    memory: Mapping[str, str | int] | None,
    parameters: Mapping[str, Parameter],
) -> Callable[[PlainFunction], PlainFunction]:
    sizes = dict(memory or {})
    for word in [*parameters, *sizes]:
        if not word.isidentifier() or keyword.iskeyword(word) or word.startswith("_"):
            raise MarketError(f"{kind} {name!r}: {word!r} cannot be used as a field name")
    for word, size in sizes.items():
        if not (size == "arms" or size in parameters or (isinstance(size, int) and size > 0)):
            raise MarketError(
                f"{kind} {name!r}: memory {word!r} has length {size!r}; allowed are 'arms', "
                "the name of a parameter, or a number > 0"
            )

    for word, parameter in parameters.items():
        if isinstance(parameter.default, int) and abs(parameter.default) > LARGEST_WHOLE:
            raise MarketError(
                f"{kind} {name!r}: parameter {word!r} must be at most 2**53 to be read exactly by "
                f"both engines, got {parameter.default}"
            )

    def keep(function: PlainFunction) -> PlainFunction:
        catalogue.add(Entry(kind, name, function, learn, dict(parameters), sizes, cites))
        return function

    return keep


def _restore(kind: Literal["policy", "behaviour"], name: str, *parts: Any) -> Entry:
    catalogue = POLICIES if kind == "policy" else BEHAVIOURS
    if name not in catalogue.names() or catalogue.find(name).act is not parts[0]:
        catalogue.add(Entry(kind, name, *parts))
    return catalogue.find(name)


def _restore_law(name: str, reward: Callable[..., float], *parts: Any) -> Law:
    if name not in LAWS.names() or LAWS.find(name).reward is not reward:
        LAWS.add(Law(name, reward, *parts))
    return LAWS.find(name)


@cache
def fields_type(names: tuple[str, ...]) -> Any:
    """The named tuple with these fields; one class for each set of names."""
    return namedtuple("Fields", names)  # noqa: PYI024 (the fields are known only now)


def unknown(kind: str, name: object, names: list[str]) -> str:
    """The message for a name that is not among `names`, with the nearest one if any is near."""
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.6)
    hint = f"Did you mean {near[0]!r}?" if near else f"Choose one of: {', '.join(names)}"
    return f"no {kind} {name!r}. {hint}"


def first_line(function: Callable[..., Any]) -> str:
    """The first line of a function's docstring."""
    return (function.__doc__ or "").strip().partition("\n")[0].strip()
