"""Choosing the controllers of a setup, setting their parameters, comparing two of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.lab.model.market_setup import Setup
from kcmab_abm.scenario.needs import unmet

LEFT, RIGHT = 0, 1


def place_of(setup: Setup, side: int) -> int | None:
    """The index of one side's controller among the scenario's policies."""
    return setup.left if side == LEFT else setup.right


def names_for(setup: Setup, side: int) -> list[str]:
    """The choices for one side: the scenario's policies by label, then others that can play it."""
    other, scenario = place_of(setup, RIGHT - side), setup.scenario
    labels = [each.label for place, each in enumerate(scenario.policies) if place != other]
    fitting = [
        name
        for name in POLICIES.names()
        if not (needs := POLICIES[name].needs)
        or not any(unmet(needs, scenario.horizon, scenario.market, scenario.purse))
    ]
    return labels + [name for name in fitting if name not in labels]


def choose(setup: Setup, side: int, name: str) -> Setup:
    """Choose the controller of one side: one of the scenario's, or a new one by its policy."""
    here, other = place_of(setup, side), place_of(setup, RIGHT - side)
    labels = [each.label for each in setup.scenario.policies]
    if name in labels and labels.index(name) != other:
        return _arranged(setup, side, labels.index(name))
    tables = list(setup.settings["policy"])
    taken = [label for place, label in enumerate(labels) if place != here]
    table = {"name": name, "label": _unused(name, taken)} if name in taken else {"name": name}
    if here is None or here == other:
        here = len(tables)
        tables.append(table)
    else:
        tables[here] = table
    return _arranged(setup.change(policy=tables), side, here)


def set_parameter(setup: Setup, side: int, word: str, value: Any) -> Setup:
    """Set a parameter of one side's controller and drop a label that may no longer fit."""
    place = place_of(setup, side)
    assert place is not None
    tables = list(setup.settings["policy"])
    label = tables[place].get("label")
    others = [each.label for at, each in enumerate(setup.scenario.policies) if at != place]
    table = {key: kept for key, kept in tables[place].items() if key != "label"} | {word: value}
    if table["name"] in others:
        table["label"] = _unused(str(table["name"]), others) if label is None else label
    tables[place] = table
    return setup.change(policy=tables)


def set_comparison(setup: Setup, two: bool) -> Setup:
    """Show a second controller with the same rewards in store, or only the first."""
    if not two:
        return replace(setup, right=None, shown=0)
    others = [place for place in range(len(setup.scenario.policies)) if place != setup.left]
    if others:
        return replace(setup, right=others[0], shown=0)
    mine = setup.scenario.policies[setup.left].entry.name
    return choose(setup, RIGHT, "modified-ts" if mine != "modified-ts" else "ucb")


def _arranged(setup: Setup, side: int, place: int) -> Setup:
    if side == LEFT:
        return replace(setup, left=place, shown=0)
    return replace(setup, right=place, shown=0)


def _unused(name: str, taken: list[str]) -> str:
    number = 2
    while f"{name} {number}" in taken:
        number += 1
    return f"{name} {number}"
