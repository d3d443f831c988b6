"""Which controllers are on the desk: chosen by name, changed by parameter, set side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kcmab_abm.catalogue import POLICIES
from kcmab_abm.lab.desk import Desk

LEFT, RIGHT = 0, 1


def place_of(desk: Desk, side: int) -> int | None:
    """The place among the scenario's policies of the controller on one side."""
    return desk.left if side == LEFT else desk.right


def names_for(desk: Desk, side: int) -> list[str]:
    """What may be chosen on one side: the scenario's policies by label, then all others by name."""
    other = place_of(desk, RIGHT - side)
    labels = [each.label for place, each in enumerate(desk.scenario.policies) if place != other]
    return labels + [name for name in POLICIES.names() if name not in labels]


def choose(desk: Desk, side: int, name: str) -> Desk:
    """Put a controller on one side: one of the scenario's, or a new one by its policy's name."""
    here, other = place_of(desk, side), place_of(desk, RIGHT - side)
    labels = [each.label for each in desk.scenario.policies]
    if name in labels and labels.index(name) != other:
        return _arranged(desk, side, labels.index(name))
    tables = list(desk.settings["policy"])
    taken = [label for place, label in enumerate(labels) if place != here]
    table = {"name": name, "label": _unused(name, taken)} if name in taken else {"name": name}
    if here is None or here == other:
        here = len(tables)
        tables.append(table)
    else:
        tables[here] = table
    return _arranged(desk.change(policy=tables), side, here)


def set_parameter(desk: Desk, side: int, word: str, value: Any) -> Desk:
    """Change a parameter of the controller on one side; a label that spoke of the old one goes."""
    place = place_of(desk, side)
    assert place is not None
    tables = list(desk.settings["policy"])
    label = tables[place].get("label")
    others = [each.label for at, each in enumerate(desk.scenario.policies) if at != place]
    table = {key: kept for key, kept in tables[place].items() if key != "label"} | {word: value}
    if table["name"] in others:
        table["label"] = _unused(str(table["name"]), others) if label is None else label
    tables[place] = table
    return desk.change(policy=tables)


def set_beside(desk: Desk, beside: bool) -> Desk:
    """Show a second controller on the same tapes, or only the first."""
    if not beside:
        return replace(desk, right=None, shown=0)
    others = [place for place in range(len(desk.scenario.policies)) if place != desk.left]
    if others:
        return replace(desk, right=others[0], shown=0)
    mine = desk.scenario.policies[desk.left].entry.name
    return choose(desk, RIGHT, "modified-ts" if mine != "modified-ts" else "ucb")


def _arranged(desk: Desk, side: int, place: int) -> Desk:
    if side == LEFT:
        return replace(desk, left=place, shown=0)
    return replace(desk, right=place, shown=0)


def _unused(name: str, taken: list[str]) -> str:
    number = 2
    while f"{name} {number}" in taken:
        number += 1
    return f"{name} {number}"
