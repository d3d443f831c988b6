"""The identity of a run: settings, functions, numbers, versions, arithmetic.

Only a run with the same identity can resume finished work; each chunk holds its digest.
"""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import Any

from kcmab_abm.catalogue.identity.fingerprint import Opaque, fingerprint
from kcmab_abm.results.results import EngineName
from kcmab_abm.running.durable_files import digest_of
from kcmab_abm.running.manifest import versions
from kcmab_abm.scenario.paths import short, written
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

# versions on which bits may depend
DECISIVE = ("python", "kcmab-abm", "numba", "numpy", "scipy", "arithmetic")
_MAY_CHANGE = ("title", "replications", "precision")  # settings that may change before a resume
_OPAQUE = "unread: "


def run_digest(identity: dict[str, Any]) -> str:
    """Return the digest of an identity."""
    return digest_of(json.dumps(identity, sort_keys=True).encode())[:16]


def run_identity(scenario: Scenario, engines: dict[str, EngineName]) -> dict[str, Any]:
    """Return everything that a trajectory depends on, as JSON values."""
    market = scenario.market
    choices = [*scenario.policies, market.customers, scenario.purse.offer, market.disclosure]
    choices += scenario.measures.choices
    laws = dict.fromkeys(arm.law for arm in market.arms)
    means = market.priors if market.is_random else market.means
    arms = [[arm.row for arm in market.arms], means, astuple(market.change)]
    content = {
        "settings": {word: v for word, v in scenario.settings.items() if word not in _MAY_CHANGE},
        "versions": {name: versions()[name] for name in DECISIVE},
        "engines": engines,
        "functions": {
            **{f"{each.entry.kind} {each.entry.name}": _code_of(each) for each in choices},
            **{f"law {law.name}": _digest([*law.functions.items()]) for law in laws},
        },
        # Arguments of the functions: some come from user-defined functions and other files.
        "numbers": {
            **{f"{each.entry.kind} {each.label}": _given_to(each, scenario) for each in choices},
            "arms": _digest(arms),
            "arrivals": _digest(market.arrivals.times),
        },
    }
    identity: dict[str, Any] = json.loads(json.dumps(content))
    return identity


def _code_of(choice: Choice) -> str:
    return _digest([*choice.entry.functions.items(), *choice.entry.tables.items()])


def _given_to(choice: Choice, scenario: Scenario) -> str:
    """Return the digest of an agent's parameters and initial memory."""
    memory = choice.blank_memory(len(scenario.market.arms), scenario.horizon)
    fields = [*choice.entry.parameters], [*choice.entry.memory]
    return _digest([fields, choice.values, memory])


def _digest(value: Any) -> str:
    try:
        return fingerprint(value)[:16]
    except Opaque as error:
        return f"{_OPAQUE}{error}"


def unread_part(identity: dict[str, Any]) -> str:
    """Name the first part of an identity that has no digest; '' if all have one."""
    for section in ("functions", "numbers"):
        for name, digest in identity[section].items():
            if digest.startswith(_OPAQUE):
                return f"{name}: {digest.removeprefix(_OPAQUE)}"
    return ""


def difference(theirs: dict[str, Any], mine: dict[str, Any]) -> str:
    """Describe the first difference between two identities."""
    for section in mine:
        old, new = theirs.get(section), mine[section]
        if old == new:
            continue
        if not isinstance(old, dict) or not isinstance(new, dict):
            return f"different {section}"
        word = next(key for key in {**old, **new} if old.get(key) != new.get(key))
        if section == "functions":
            return f"different code of {word}"
        if section == "numbers":
            return f"different numbers for {word}"
        if word == "arithmetic":
            return (
                "another processor or C library, whose functions differ in the last digits "
                f"(arithmetic {old.get(word)} instead of {new.get(word)})"
            )
        return f"{word} = {_shown(old, word)} instead of {_shown(new, word)}"
    return "different settings"


def _shown(settings: dict[str, Any], word: str) -> str:
    return short(written(settings[word])) if word in settings else "nothing"
