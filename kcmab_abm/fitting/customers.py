"""Customers with parameters to be estimated: a belief, and a decision that has chances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from kcmab_abm.batch.chances import Chances
from kcmab_abm.catalogue.entries import Entry, Parameter
from kcmab_abm.catalogue.registry import BEHAVIOURS, DECISIONS
from kcmab_abm.catalogue.roles import ROLES, asked
from kcmab_abm.errors import MarketError, PlayError
from kcmab_abm.fitting.observed import Observed
from kcmab_abm.market.run import strict_arithmetic
from kcmab_abm.model.seen import Floats
from kcmab_abm.scenario.entry_tables import composed
from kcmab_abm.scenario.scenario import make_scenario
from kcmab_abm.scenario.world import Choice

Behaviour = str | Mapping[str, Any]

LEAST_CHANCE = 1e-300  # so that logarithms stay finite


class Free(NamedTuple):
    """A parameter to be estimated: its name, its part of the pair, its place there."""

    name: str
    part: int
    place: int
    parameter: Parameter

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number."""
        return isinstance(self.parameter.default, int)


class Customers:
    """Customers of one behaviour, who may have made the choices that were observed.

    The settings that the table gives are fixed, the others are `free`.
    """

    def __init__(self, behaviour: Behaviour, observed: Observed) -> None:
        self.table = pair_table(behaviour)
        self.observed = observed
        choice = _built(self.table, observed)
        self._choice = choice
        belief, decision = choice.entry.parts
        _check(belief, decision)
        self.label = _label(belief.name, decision.name)
        self.free = _free(choice, self.table)
        self._chances = Chances(choice.entry, observed.arms, observed.first_ties)
        count = len(belief.parameters)
        of: list[Mapping[str, Any]] = choice.extras["of"]
        self._parts = tuple(
            Choice(part, part.name, values, {w: v for w, v in given.items() if w not in names})
            for part, values, given, names in zip(
                (belief, decision),
                (choice.values[:count], choice.values[count:]),
                of,
                (belief.parameters, decision.parameters),
                strict=True,
            )
        )

    def with_values(self, values: Mapping[str, float]) -> Choice:
        """The behaviour with these values of its free parameters."""
        parts = list(self._parts)
        for each in self.free:
            numbers = list(parts[each.part].values)
            numbers[each.place] = type(each.parameter.default)(values[each.name])
            parts[each.part] = replace(parts[each.part], values=tuple(numbers))
        return composed(self._choice.entry, self.label, parts)

    def chances(self, values: Mapping[str, float]) -> tuple[Floats, Floats]:
        """The chance of every choice, and its share of the arms with the highest chance."""
        choice = self.with_values(values)
        try:
            with strict_arithmetic():
                found = [
                    self._chances.of(seen, choice, self.observed.horizon)
                    for seen in self.observed.seen
                ]
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise PlayError(
                f"behaviour {self.label!r} failed with {_told(values)}: {error}"
            ) from error
        own, likeliest = (np.concatenate(each) for each in zip(*found, strict=True))
        if not ((own >= 0.0) & (own <= 1.0 + 1e-9)).all():
            raise PlayError(
                f"behaviour {self.label!r} gives no probabilities with {_told(values)}, but "
                f"numbers from {own.min()} to {own.max()}"
            )
        return own, likeliest

    def loss(self, values: Mapping[str, float]) -> float:
        """Minus the log-likelihood; finite even if a choice is impossible."""
        return -float(np.log(np.maximum(self.chances(values)[0], LEAST_CHANCE)).sum())

    def fitted(self, values: Mapping[str, float]) -> dict[str, Any]:
        """The table of a scenario file for customers with these values."""
        table = {**self.table, "decision": {**self.table["decision"]}}
        for each in self.free:
            place = table if each.part == 0 else table["decision"]
            word = list(self._parts[each.part].entry.parameters)[each.place]
            place[word] = values[each.name]
        return table


def _label(belief: str, decision: str) -> str:
    """The name of a pair: its usual one, or that of the belief if she decides by logit."""
    if belief == "greedy":
        return decision
    return belief if decision == "logit" else f"{belief}, {decision}"


def _told(values: Mapping[str, float]) -> str:
    return ", ".join(f"{word} = {value:g}" for word, value in values.items()) or "no parameters"


def pair_table(behaviour: Behaviour) -> dict[str, Any]:
    """The table of customers with a belief and a decision.

    A name may stand for a table. A belief without a decision gets `logit`, except the greedy one;
    a behaviour that has the name of a decision is the greedy belief with this decision.

    >>> pair_table("recency")
    {'behaviour': 'recency', 'decision': {'rule': 'logit'}}
    >>> pair_table({"behaviour": "logit", "tau": 0.1})
    {'behaviour': 'greedy', 'decision': {'rule': 'logit', 'tau': 0.1}}
    """
    table: dict[str, Any] = (
        {"behaviour": behaviour} if isinstance(behaviour, str) else {**behaviour}
    )
    if "behaviour" not in table:
        raise MarketError(
            f"behaviour: must be a name, or a table with a name under 'behaviour', got {table!r}"
        )
    entry = BEHAVIOURS[table["behaviour"]]
    if table.get("decision") is not None:
        return table
    if entry.value and entry.name not in DECISIONS:
        return {**table, "decision": {"rule": "logit"}}
    if entry.name in DECISIONS:
        rest = {
            word: value for word, value in table.items() if word not in ("behaviour", "decision")
        }
        return {"behaviour": "greedy", "decision": {"rule": entry.name, **rest}}
    raise MarketError(
        f"behaviour {entry.name!r}: says which arm a customer takes, and not with what chances, so "
        f"that choices have no likelihood; choose among {', '.join(_beliefs())}"
    )


def _beliefs() -> list[str]:
    """The names of the beliefs that a fit accepts."""
    return [name for name, each in BEHAVIOURS.items() if each.value and not _draws(each)]


def _draws(belief: Entry) -> bool:
    """Whether values depend on draws that nobody has recorded."""
    roles = ROLES["behaviour"]
    functions = {word: belief.functions.get(word) for word in ("value", "money_value", "learn")}
    return any("rng" in asked(each, roles[word]) for word, each in functions.items() if each)


def _check(belief: Entry, decision: Entry) -> None:
    """Refuse customers whose choices have no likelihood."""
    if _draws(belief):
        raise MarketError(
            f"behaviour {belief.name!r}: what arms are worth to a customer is drawn at random, so "
            f"that her choice has no simple likelihood; choose among {', '.join(_beliefs())}"
        )
    if decision.chances is None:
        able = [name for name, each in DECISIONS.items() if each.chances]
        raise MarketError(
            f"decision {decision.name!r}: has no function for the chances of its choices, so that "
            f"they have no likelihood; choose among {', '.join(able)}"
        )


def _built(table: Mapping[str, Any], observed: Observed) -> Choice:
    """The behaviour of a table, checked as in a scenario file."""
    arms = {"law": "bernoulli", "means": [0.5] * observed.arms}
    settings = {
        "horizon": observed.horizon,
        "market": {"arms": arms, "customers": table},
        "policy": [{"name": "greedy"}],
    }
    return make_scenario(settings).market.customers


def _free(choice: Choice, table: Mapping[str, Any]) -> tuple[Free, ...]:
    """The parameters that the table leaves open."""
    belief, decision = choice.entry.parts
    free: list[Free] = []
    for part, (entry, given) in enumerate(((belief, table), (decision, table["decision"]))):
        for place, (word, parameter) in enumerate(entry.parameters.items()):
            if isinstance(parameter.default, bool) or not parameter.estimated or word in given:
                continue
            name = f"decision.{word}" if part and word in belief.parameters else word
            free.append(Free(name, part, place, parameter))
    whole = [each.name for each in free if each.is_whole]
    if len(whole) > 1:
        raise MarketError(
            f"behaviour {belief.name!r}: a fit estimates one whole number at most, got "
            f"{', '.join(whole)}; give values of the others, as in "
            f'{{ behaviour = "{belief.name}", {whole[0]} = {belief.parameters[whole[0]].shown} }}'
        )
    return tuple(free)
