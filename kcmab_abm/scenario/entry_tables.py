"""Tables for entries of the catalogue: policies, behaviours, pricing rules and laws.

One pydantic model is generated per entry. A parameter may have any name, even `build`; so methods
are called through the class, as in `PolicyTable.build(table, label)`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, Union
from urllib.parse import quote

from pydantic import BaseModel, Field, create_model

from kcmab_abm.catalogue.composition import paired
from kcmab_abm.catalogue.entries import (
    LARGEST_MARKET,
    LARGEST_WHOLE,
    Entry,
    LawSettings,
    Number,
    Parameter,
    Settings,
    integral,
)
from kcmab_abm.catalogue.registry import BEHAVIOURS, DECISIONS, LAWS, POLICIES, PRICING
from kcmab_abm.scenario.columns import read_columns
from kcmab_abm.scenario.fields import Amount, Label, Problems, built_once
from kcmab_abm.scenario.world import Arm, Choice

LONGEST_FOLDER = 255  # bytes in a name, the limit of common file systems


class EntryTable(Settings):
    """The name of an entry, under a key that depends on its kind, and its settings."""

    @built_once
    def _choice(self, entry: Entry, label: str) -> Choice:
        extras = entry.settings.model_fields if entry.settings else {}
        others = self.model_dump(include=set(extras)) if extras else {}
        return Choice(entry, label, self._values(entry), {word: others[word] for word in extras})

    def _values(self, entry: Entry) -> tuple[Number, ...]:
        given = self.__dict__
        return tuple(type(p.default)(given[word]) for word, p in entry.parameters.items())


class PolicyTable(EntryTable):
    """A policy and its label."""

    name: str
    label: Label | None = Field(None, description="name in tables and figures")

    def build(self, label: str) -> Choice:
        """Return the policy for the engines."""
        return self._choice(POLICIES[self.name], label)

    def default_label(self, alone: bool) -> str:
        """Return the label of a policy without one: its name, with its settings unless alone."""
        entry = POLICIES[self.name]
        if alone or not entry.parameters:
            return self.name
        pairs = zip(entry.parameters, self._values(entry), strict=True)
        return f"{self.name} ({', '.join(f'{word}={value:g}' for word, value in pairs)})"


class PricingTable(EntryTable):
    """A pricing rule."""

    rule: str

    def build(self) -> Choice:
        """Return the pricing rule for the engines."""
        return self._choice(PRICING[self.rule], self.rule)


class DecisionTable(EntryTable):
    """How customers decide."""

    rule: str

    def build(self) -> Choice:
        """Return the decision for the engines."""
        return self._choice(DECISIONS[self.rule], self.rule)


class BehaviourTable(EntryTable):
    """The behaviour of customers."""

    behaviour: str

    @built_once
    def build(self, valued: bool = False) -> Choice:
        """Return the behaviour for the engines; if `valued`, one that notes values if it can."""
        choice = self._choice(BEHAVIOURS[self.behaviour], self.behaviour)
        decision: DecisionTable | None = self.__dict__.get("decision")
        label = self.behaviour
        if decision is not None:
            parts = (choice, DecisionTable.build(decision))
            label = f"{self.behaviour}, {decision.rule}"
        elif valued and choice.entry.value and not choice.entry.is_belief:
            parts = (choice, Choice(DECISIONS["greedy"], "greedy"))  # which changes no choice
        else:
            return choice
        return composed(paired((parts[0].entry, parts[1].entry)), label, parts)


class KindTable(BehaviourTable):
    """The behaviour of one of several kinds of customers."""

    weight: Amount = Field(1.0, description="share of this kind, relative to the other weights")


class MixtureTable(BehaviourTable):
    """Customers of several kinds."""

    of: list[Any] = Field(
        min_length=1, max_length=20, description="the kinds of customers, each with a weight"
    )
    visible: bool = Field(
        False, description="true if policy and pricing rule see the kind of each customer"
    )

    @property
    def shown(self) -> tuple[int, ...]:
        """The numbers of the kinds that come, as the controller sees them; none if it does not."""
        come = tuple(number for number, kind in enumerate(self.of) if kind.weight > 0.0)
        return come if self.visible else ()

    @built_once
    def build(self, valued: bool = False) -> Choice:
        """Return one behaviour composed of all kinds with a weight > 0."""
        total = math.fsum(kind.weight for kind in self.of)
        if total == 0.0:
            raise ValueError("must have a weight > 0, got only 0")
        numbers = tuple(number for number, kind in enumerate(self.of) if kind.weight > 0.0)
        kinds = [self.of[number] for number in numbers]
        parts = [BehaviourTable.build(kind, valued) for kind in kinds]
        compose = BEHAVIOURS[self.behaviour].compose
        assert compose is not None
        entry = compose(tuple(part.entry for part in parts))
        shares = tuple(kind.weight / total for kind in kinds)
        return composed(entry, entry.name, parts, shares, kinds=numbers)


def composed(
    entry: Entry, label: str, parts: Sequence[Choice], own: tuple[Number, ...] = (), **more: Any
) -> Choice:
    """Return the choice of a composed entry: its own parameters, then those of its parts."""
    values = (*own, *(value for part in parts for value in part.values))
    settings = [
        {**dict(zip(part.entry.parameters, part.values, strict=True)), **part.extras}
        for part in parts
    ]
    return Choice(entry, label, values, {"of": settings, **more})


class LawTable(LawSettings):
    """Arms of one law."""

    law: str

    @built_once
    def build(self, folder: Path, tabulated: bool) -> tuple[Arm, ...]:
        """Return the arms for the engines, `tabulated` if rewards are read from a table.

        Files are relative to `folder`; a ValueError is raised if one is unusable.
        """
        if tabulated:  # made of the same rows, so that a file is read only once
            plain = LawTable.build(self, folder, False)
            return tuple(replace(arm, tabulated=True) for arm in plain)
        law, read = LAWS[self.law], partial(read_columns, folder)
        return tuple(Arm(law, row, name=name) for name, row in self.named_rows(read))


def build_policies(
    tables: Sequence[PolicyTable], arms: int | None, horizon: int, problems: Problems
) -> tuple[Choice, ...]:
    """Return the policies with distinct labels; `arms` is None if the market has problems."""
    names = Counter(table.name for table in tables)
    labels: list[str] = []
    for place, table in enumerate(tables):
        label = table.label or PolicyTable.default_label(table, names[table.name] == 1)
        if label in labels:
            problems.add(
                f"policy[{place}].label",
                f"{label!r} is already the label of policy[{labels.index(label)}]; "
                "give each policy a label of its own",
            )
        if (length := len(ledger_folder(label))) > LONGEST_FOLDER:
            problems.add(
                f"policy[{place}].label",
                f"too long for the name of a folder ({length} bytes with letters beyond a-z as "
                f"%XX, at most {LONGEST_FOLDER}); give a shorter label",
            )
        labels.append(label)
    choices = tuple(map(PolicyTable.build, tables, labels))
    if arms is not None:
        for place, choice in enumerate(choices):
            check_memory(f"policy[{place}]", choice, arms, horizon, problems)
    return choices


def check_memory(place: str, choice: Choice, arms: int, horizon: int, problems: Problems) -> None:
    """Report if the memory of an agent cannot be created for these arms and customers."""
    try:
        choice.blank_memory(min(arms, LARGEST_MARKET), horizon)
    except ValueError as error:
        problems.add(place, error)


def ledger_folder(label: str) -> str:
    """Return the folder of a policy within a ledger, named as readers of Parquet expect.

    >>> ledger_folder("eps = 20")
    'policy=eps%20%3D%2020'
    """
    return f"policy={quote(label, safe='')}"


def behaviour_tables() -> Any:
    """Return the type of the customers' table."""
    rules = any_of(DECISIONS.values(), "rule", DecisionTable)
    decision: Any = (
        rules | None,
        Field(None, description="how she decides; the best deal if none"),
    )
    kinds = any_of(
        (each for each in BEHAVIOURS.values() if not each.compose),
        "behaviour",
        KindTable,
        decision=decision,
    )
    of: Any = (list[kinds], MixtureTable.model_fields["of"])  # type: ignore[valid-type]
    mixture = create_model("mixture", __base__=MixtureTable, of=of)
    return any_of(BEHAVIOURS.values(), "behaviour", BehaviourTable, mixture, decision=decision)


def one_or_list(value: Any) -> str:
    """Return the tag of a value that may be a list or a single entry."""
    return "list" if isinstance(value, list) else "table"


def any_of(
    entries: Iterable[Any],
    key: str,
    base: type[BaseModel],
    mixture: type[BaseModel] | None = None,
    **of_beliefs: Any,
) -> Any:
    """Return the union of the tables of all entries, discriminated by the key of the name.

    `of_beliefs` are more fields, for entries that any decision can follow.
    """
    tables = [
        _table(
            each,
            key,
            mixture if mixture and each.compose else base,
            of_beliefs if of_beliefs and each.value else {},
        )
        for each in entries
    ]
    return Annotated[Union[tuple(tables)], Field(discriminator=key)]  # noqa: UP007


def _table(entry: Any, key: str, base: type[BaseModel], more: Mapping[str, Any]) -> type[BaseModel]:
    fields: dict[str, Any] = {key: (Literal[entry.name], Field(description=entry.about)), **more}
    if isinstance(entry, Entry):
        fields |= {word: _parameter_field(each) for word, each in entry.parameters.items()}
    title = f"{getattr(entry, 'kind', 'law')} {entry.name}"
    bases: Any = (entry.settings, base) if entry.settings else base
    model: type[BaseModel] = create_model(title, __base__=bases, __doc__=entry.about, **fields)
    return model


def _parameter_field(parameter: Parameter) -> Any:
    bounds = {sign: getattr(parameter, sign) for sign in ("gt", "ge", "lt", "le")}
    if isinstance(parameter.default, bool):
        return bool, Field(parameter.default, description=parameter.about)
    if isinstance(parameter.default, int):
        bounds["le"] = min(LARGEST_WHOLE, bounds["le"] or LARGEST_WHOLE)
        kind: Any = Annotated[int, Field(**bounds), integral]
        return kind, Field(parameter.default, description=parameter.about)
    return float, Field(parameter.default, description=parameter.about, **bounds)
