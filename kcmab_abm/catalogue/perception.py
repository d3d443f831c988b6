"""Customers in two steps, for controllers who know something about them.

Usually a customer perceives and decides at once, when an offer has been posted for her. If the
controller sees her kind or knows her values, she perceives first: `perceive` draws her kind, fills
in her values, and returns the kind that the controller sees. After the offer has been posted,
`settle` makes her choice. Nothing else draws from the customers' stream in between, so the two
steps draw what the one would have drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from kcmab_abm.catalogue.composition import (
    CHECKS,
    adjusting,
    call,
    checked_money,
    is_mixture,
    value_words,
    written,
)
from kcmab_abm.catalogue.entries import Entry
from kcmab_abm.catalogue.roles import ROLES, Role, asked
from kcmab_abm.model.offers import Board, add_adjustments, best_deal

PERCEIVE = Role("perceive", ("t", "book", "values", "money", "memory", "params", "rng"))
SETTLE = Role("settle", ("t", "book", "board", "money", "memory", "params", "rng"))

_PERCEIVE = f"def perceive({', '.join(PERCEIVE.asks)}):"
_SETTLE = f"def settle({', '.join(SETTLE.asks)}):"


class Sight(NamedTuple):
    """What the controller knows about customers before it acts.

    Parameters
    ----------
    kinds
        The numbers of the kinds of a mixture, as the controller sees them; empty if it does not.
    values
        True if the controller knows what the arms are worth to each customer.
    """

    kinds: tuple[int, ...] = ()
    values: bool = False


BLIND = Sight()


class Steps(NamedTuple):
    """The two functions of a customer who perceives first."""

    perceive: Callable[..., int]
    settle: Callable[..., int]


def unknowable(entry: Entry) -> list[str]:
    """Return the names of the customers whose values cannot be known.

    These are behaviours without `value`, and those whose own `take` would draw other values.
    """
    if is_mixture(entry):
        return [name for part in entry.parts for name in unknowable(part)]
    if entry.parts or entry.is_belief:
        return []
    draws = entry.value is None or "rng" in asked(entry.value, ROLES["behaviour"]["value"])
    return [entry.name] if draws or entry.money_value else []


@cache
def steps(entry: Entry, sight: Sight) -> Steps:
    """Return the two steps of customers with this behaviour.

    Parameters
    ----------
    entry
        The behaviour.
    sight
        What the controller knows; `perceive` does no more than this needs.

    Returns
    -------
    Steps
        Functions with the arguments of `PERCEIVE` and `SETTLE`. `perceive` writes the value of each
        arm, up to a constant, into `values`, and her value of a payment of 1 into `money[0]`.
    """
    if is_mixture(entry):
        return _of_mixture(entry, sight)
    return _of_pair(entry) if entry.parts else _of_single(entry)


def _of_single(entry: Entry) -> Steps:
    """A behaviour of one part: a belief with the best deal, or a `take` of its own."""
    assert entry.value
    own = "memory, params, rng"
    held = "memory.values" if entry.is_belief else "values"
    adding, relative = adjusting(entry.value, held)
    words = ", ".join(
        value_words(entry.value, held).get(word, word) for word in ROLES["behaviour"]["value"].asks
    )
    money = "1.0"
    if entry.money_value:
        money = checked_money(f"money_value_0(t, {own})", entry.money_value)
    perceive = [_PERCEIVE, *_cleared(held), f"    value_0({words})", *adding]
    perceive += [*_copied(relative), f"    money[0] = {money}", "    return 0"]
    settle = f"    return act_0(t, book, board, {own})"
    if entry.is_belief:
        settle = f"    return best_deal({relative}, money[0], book, board, rng)"
    scope = {"best_deal": best_deal, "add_adjustments": add_adjustments, **CHECKS}
    return _steps(perceive, [_SETTLE, settle], (entry,), **scope)


def _of_pair(entry: Entry) -> Steps:
    """A belief and a decision."""
    parts, board = entry.parts, "board"
    value = parts[0].value
    assert value
    adding, relative = adjusting(value)
    money = "1.0"
    if parts[0].money_value:
        money = checked_money(call("money_value", 0, parts), parts[0].money_value)
    perceive = [_PERCEIVE, f"    {call('value', 0, parts, **value_words(value))}", *adding]
    perceive += [*_copied(relative), f"    money[0] = {money}", "    return 0"]
    settle = [_SETTLE]
    if parts[0].money_value:
        board = "Board(board.target, memory.worth, board.rivals)"
        settle += [
            "    for arm in range(len(book.means)):",
            "        memory.worth[arm] = money[0] * board.offers[arm]",
        ]
    arrays = {"values": "memory.values", "relative": relative}
    settle += [f"    return {call('act', 1, parts, **arrays, board=board)}"]
    return _steps(perceive, settle, parts, Board=Board, add_adjustments=add_adjustments, **CHECKS)


def _of_mixture(entry: Entry, sight: Sight) -> Steps:
    """Several kinds: her kind is drawn, and if the controller knows them, her values as well."""
    parts = entry.parts
    last = len(parts) - 1
    scope: dict[str, Any] = {}
    perceive, settle = [_PERCEIVE], [_SETTLE]
    if last:
        perceive += ["    left = rng.random()"]
    for k, part in enumerate(parts):
        indent = "    "
        if k < last:
            perceive += [f"    left -= params.share_{k}", "    if left < 0.0:"]
            settle += [f"    if memory.kind[0] == {k}.0:"]
            indent = "        "
        perceive += [f"{indent}memory.kind[0] = {k}.0"]
        if sight.values:
            own = steps(part, sight)
            scope |= {f"perceive_{k}": own.perceive, f"settle_{k}": own.settle}
            perceive += [f"{indent}{call('perceive', k, parts, PERCEIVE.asks)}"]
            settle += [f"{indent}return {call('settle', k, parts, SETTLE.asks)}"]
        else:
            settle += [f"{indent}return {call('act', k, parts)}"]
        perceive += [f"{indent}return {sight.kinds[k] if sight.kinds else 0}"]
    return _steps(perceive, settle, parts, **scope)


def _cleared(held: str) -> list[str]:
    """Lines that clear an array which no memory keeps for her."""
    if held != "values":
        return []
    return ["    for arm in range(len(values)):", "        values[arm] = 0.0"]


def _copied(held: str) -> list[str]:
    """Lines that show the controller the values in her memory."""
    if held == "values":
        return []
    return ["    for arm in range(len(values)):", f"        values[arm] = {held}[arm]"]


def _steps(perceive: list[str], settle: list[str], parts: tuple[Entry, ...], **scope: Any) -> Steps:
    return Steps(
        written(perceive, parts, __name__, **scope), written(settle, parts, __name__, **scope)
    )
