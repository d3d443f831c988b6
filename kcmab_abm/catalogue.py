"""Policies, behaviours, pricing rules and reward laws by name: registered by a decorator.

A policy is one file with one decorated function; nothing else is edited to add it. The same
decorators work in a user's script or notebook cell.
"""

from __future__ import annotations

import copyreg
import difflib
import importlib
import keyword
import pkgutil
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Generic, Protocol, TypeVar

from kcmab_abm.entries import (
    LARGEST_WHOLE,
    Contents,
    Entry,
    Kind,
    Law,
    LawSettings,
    Parameter,
    Settings,
)
from kcmab_abm.errors import MarketError, UnknownNameError

PlainFunction = TypeVar("PlainFunction", bound=Callable[..., Any])
Memory = Mapping[str, str | int | Contents]

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_PACKAGE = "kcmab_abm"
_WORDS_OF_FILES: dict[Kind, set[str]] = {  # what scenario files say beside the parameters
    "policy": {"name", "label"},
    "behaviour": {"behaviour", "weight"},
    "pricing rule": {"rule"},
}
_discovering = threading.RLock()  # or another thread would find a catalogue half full


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
        with _discovering:
            if self._discovered:
                return
            self._discovered = True  # the modules look themselves up while they are imported
            folder = importlib.import_module(self._folder)
            for module in pkgutil.iter_modules(folder.__path__):
                importlib.import_module(f"{self._folder}.{module.name}")


POLICIES: Catalogue[Entry] = Catalogue("policy", "policies")
BEHAVIOURS: Catalogue[Entry] = Catalogue("behaviour", "behaviours")
PRICING: Catalogue[Entry] = Catalogue("pricing rule", "pricing")
LAWS: Catalogue[Law] = Catalogue("law", "arms")

_CATALOGUES: dict[Kind, Catalogue[Entry]] = {
    "policy": POLICIES,
    "behaviour": BEHAVIOURS,
    "pricing rule": PRICING,
}


def policy(
    name: str,
    *,
    cites: str = "",
    learn: Callable[..., None] | None = None,
    memory: Memory | None = None,
    **parameters: Parameter,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register `choose(t, book, memory, params, rng)`, which returns the arm to promote.

    `learn(arm, reward, book, memory, params, rng)`, if given, hears every report.

    >>> from kcmab_abm import leader, policy
    >>> @policy("follow-the-leader", cites="Section 1")
    ... def choose(t, book, memory, params, rng):
    ...     '''Always promote the arm with the best record; pays nothing.'''
    ...     return leader(book, rng)
    """
    return _register("policy", name, parameters, learn=learn, memory=memory or {}, cites=cites)


def behaviour(
    name: str,
    *,
    cites: str = "",
    hear: Callable[..., None] | None = None,
    report: Callable[..., float] | None = None,
    memory: Memory | None = None,
    settings: type[Settings] | None = None,
    **parameters: Parameter,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register `take(t, book, board, memory, params, rng)`: the arm taken, or -1 to leave.

    `hear(t, arm, reward, book, memory, params, rng)`, if given, hears what customer t reports of
    her arm; `report(reward, payment, memory, params, rng)` is what a customer says that she got.
    """
    return _register(
        "behaviour",
        name,
        parameters,
        learn=hear,
        report=report,
        memory=memory or {},
        settings=settings,
        cites=cites,
    )


def pricing(
    name: str,
    *,
    cites: str = "",
    learn: Callable[..., None] | None = None,
    memory: Memory | None = None,
    **parameters: Parameter,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register `price(t, gap, memory, params, rng)`: what to offer for an arm `gap` behind.

    `learn(t, offer, taken, memory, params, rng)`, if given, hears whether customer t took the
    target for what was offered.
    """
    return _register(
        "pricing rule", name, parameters, learn=learn, memory=memory or {}, cites=cites
    )


def law(
    name: str,
    *,
    settings: type[LawSettings],
    mean: Callable[..., float],
    variance: Callable[..., float],
    **parts: Any,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register `reward(u, row)`, the quantile function of a law on [0, 1].

    `parts` are the optional fields of `Law`: cites, density, atoms, move, within, costly.
    """

    def keep(function: PlainFunction) -> PlainFunction:
        LAWS.add(Law(name, function, mean, variance, settings, **parts))
        return function

    return keep


def _register(
    kind: Kind, name: str, parameters: Mapping[str, Parameter], *, memory: Memory, **parts: Any
) -> Callable[[PlainFunction], PlainFunction]:
    for word in [*parameters, *memory]:
        if not word.isidentifier() or keyword.iskeyword(word) or word.startswith("_"):
            raise MarketError(f"{kind} {name!r}: {word!r} cannot be used as a field name")
    for word in _WORDS_OF_FILES[kind].intersection(parameters):
        raise MarketError(
            f"{kind} {name!r}: parameter {word!r} has another meaning in scenario files; call it "
            "something else"
        )
    for word, size in memory.items():
        is_size = size == "arms" or size in parameters or (isinstance(size, int) and size > 0)
        if not (is_size or callable(size)):
            raise MarketError(
                f"{kind} {name!r}: memory {word!r} has length {size!r}; allowed are 'arms', "
                "the name of a parameter, a number > 0, or a function of arms and settings"
            )
    for word, parameter in parameters.items():
        if isinstance(parameter.default, int) and abs(parameter.default) > LARGEST_WHOLE:
            raise MarketError(
                f"{kind} {name!r}: parameter {word!r} must be at most 2**53 to be read exactly by "
                f"both engines, got {parameter.default}"
            )

    def keep(function: PlainFunction) -> PlainFunction:
        entry = Entry(
            kind, name, function, parameters=dict(parameters), memory=dict(memory), **parts
        )
        _CATALOGUES[kind].add(entry)
        return function

    return keep


def _restore_entry(kind: Kind, name: str, *parts: Any) -> Entry:
    catalogue = _CATALOGUES[kind]
    if name not in catalogue.names() or catalogue.find(name).act is not parts[0]:
        catalogue.add(Entry(kind, name, *parts))
    return catalogue.find(name)


def _compose(kind: Kind, name: str, parts: tuple[Entry, ...]) -> Entry:
    compose = _CATALOGUES[kind].find(name).compose
    assert compose is not None
    return compose(parts)


def _restore_law(name: str, reward: Callable[..., float], *parts: Any) -> Law:
    if name not in LAWS.names() or LAWS.find(name).reward is not reward:
        LAWS.add(Law(name, reward, *parts))
    return LAWS.find(name)


def _reduce_entry(entry: Entry) -> tuple[Any, ...]:
    if entry.parts:
        return _compose, (entry.kind, entry.name, entry.parts)
    return _restore_entry, tuple(getattr(entry, part.name) for part in fields(entry))


def _reduce_law(law: Law) -> tuple[Any, ...]:
    return _restore_law, tuple(getattr(law, part.name) for part in fields(law))


# Another process finds its own entry, so that a kernel is loaded once and not once a task.
copyreg.pickle(Entry, _reduce_entry)
copyreg.pickle(Law, _reduce_law)


def unknown(kind: str, name: object, names: list[str]) -> str:
    """The message for a name that is not among `names`, with the nearest one if any is near."""
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.6)
    hint = f"Did you mean {near[0]!r}?" if near else f"Choose one of: {', '.join(names)}"
    return f"no {kind} {name!r}. {hint}"
