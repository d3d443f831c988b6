"""The catalogues: policies, behaviours, prices, disclosures, measures and laws by name."""

from __future__ import annotations

import copyreg
import difflib
import importlib
import pkgutil
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, Protocol, TypeVar

from kcmab_abm.catalogue.composition import greedy_take
from kcmab_abm.catalogue.entries import Entry, Kind, Law
from kcmab_abm.catalogue.html_table import html_table
from kcmab_abm.errors import MarketError, UnknownNameError

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_PACKAGE = "kcmab_abm"
_LONGEST_LIST = 140  # letters of names in a message
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


class Catalogue(Mapping[str, Item]):
    """The entries of one kind by name; those of the package are found by importing its folder.

    Examples
    --------
    >>> import kcmab_abm as kcmab
    >>> "ucb" in kcmab.policies()
    True
    >>> kcmab.policies()["ucb"].cites
    'Algorithm 1; Auer, Cesa-Bianchi and Fischer 2002'
    """

    def __init__(self, kind: str, folder: str) -> None:
        self.kind = kind
        self._folder = f"{_PACKAGE}.entries.{folder}"
        self._items: dict[str, Item] = {}
        self._discovered = False

    def add(self, item: Item) -> None:
        """Put an item under its name."""
        self.check_name(item.name, item.module)
        self._items[item.name] = item

    def check_name(self, name: str, module: str) -> None:
        """Refuse a name that scenario files could not use, or that the package itself uses."""
        if not _NAME.fullmatch(name):
            raise MarketError(
                f"{self.kind} {name!r}: a name is lower-case words joined by hyphens, "
                "such as 'my-rule'"
            )
        if not self._has(module) and name in self.own_names():
            raise MarketError(
                f"{self.kind} {name!r} is already in the catalogue; choose another name"
            )

    def __getitem__(self, name: str) -> Item:
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

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    def __repr__(self) -> str:
        return f"<{len(self)} entries of kind {self.kind!r}: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        return html_table({each.name: each.about for each in self.values()})

    def _is_own(self, item: Item) -> bool:
        return self._has(item.module)

    def _has(self, module: str) -> bool:
        return module.startswith(f"{self._folder}.")

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
DECISIONS: Catalogue[Entry] = Catalogue("decision", "decisions")
PRICING: Catalogue[Entry] = Catalogue("pricing rule", "prices")
DISCLOSURES: Catalogue[Entry] = Catalogue("disclosure", "disclosures")
MEASURES: Catalogue[Entry] = Catalogue("measure", "measures")
LAWS: Catalogue[Law] = Catalogue("law", "laws")

CATALOGUES: dict[Kind, Catalogue[Entry]] = {
    "policy": POLICIES,
    "behaviour": BEHAVIOURS,
    "decision": DECISIONS,
    "pricing rule": PRICING,
    "disclosure": DISCLOSURES,
    "measure": MEASURES,
    "run measure": MEASURES,
}


def _restore_entry(kind: Kind, name: str, *parts: Any) -> Entry:
    catalogue = CATALOGUES[kind]
    sent = Entry(kind, name, *parts)
    if sent.act is None:
        sent = replace(sent, act=greedy_take(sent.value, sent.money_value))
    if name not in catalogue:
        catalogue.add(sent)
    known = catalogue[name]
    # One that came by value is used beside an entry of that name, and does not take its place.
    same = known.value is sent.value if sent.value else known.act is sent.act
    return known if same else sent


def _restore_law(name: str, reward: Callable[..., float], *parts: Any) -> Law:
    if name not in LAWS:
        LAWS.add(Law(name, reward, *parts))
    known = LAWS[name]
    return known if known.reward is reward else Law(name, reward, *parts)


def _reduce_entry(entry: Entry) -> tuple[Any, ...]:
    if entry.made_by:
        return entry.made_by, (entry.parts,)
    sent = {part.name: getattr(entry, part.name) for part in fields(entry)}
    if entry.is_belief:
        sent["act"] = None  # generated, and generated anew
    return _restore_entry, tuple(sent.values())


def _reduce_law(law: Law) -> tuple[Any, ...]:
    return _restore_law, tuple(getattr(law, part.name) for part in fields(law))


# Another process finds its own entry, so that a kernel is loaded once and not once a task.
copyreg.pickle(Entry, _reduce_entry)
copyreg.pickle(Law, _reduce_law)


def unknown(kind: str, name: object, names: list[str]) -> str:
    """The message for a name that is not among `names`, with the nearest one if any is near."""
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.6)
    hint = f"Did you mean {near[0]!r}?" if near else f"Choose one of: {some_of(names)}"
    return f"no {kind} {name!r}. {hint}"


def some_of(names: list[str]) -> str:
    """The names, as many of them as fit on a line."""
    shown = list(names)
    while len(", ".join(shown)) > _LONGEST_LIST:
        shown.pop()
    return ", ".join(shown) + (f", ... ({len(names)} in all)" if len(shown) < len(names) else "")
