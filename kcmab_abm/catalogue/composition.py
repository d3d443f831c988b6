"""Behaviours composed of other entries: a belief and a decision, or several kinds of customers.

Their functions are generated as source text, because compiled code cannot loop over functions of
different types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from kcmab_abm.catalogue.entries import Contents, Entry, Parameter, fields_type, is_own
from kcmab_abm.catalogue.roles import ROLES, Role, asked, calling
from kcmab_abm.model.offers import Board, add_adjustments, best_deal, finite, must_be_finite

CHECKS: dict[str, Any] = {"must_be_finite": must_be_finite, "finite": finite}
CHANCES = Role("chances", ("t", "book", "board", "chances", "memory", "params", "rng"))
_TAKE = "def take(t, book, board, memory, params, rng):"


def greedy_take(value: Callable[..., None], money_value: Callable[..., float] | None) -> Any:
    """The choice of a customer who believes these values and takes the best deal.

    She chooses like this unless a scenario gives her another decision.
    """
    roles = ROLES["behaviour"]
    scope: dict[str, Any] = {
        "__name__": value.__module__,
        "add_adjustments": add_adjustments,
        "best_deal": best_deal,
        **CHECKS,
        "value": calling(value, roles["value"]),
    }
    worth = "1.0"
    if money_value is not None:
        scope["money_value"] = calling(money_value, roles["money_value"])
        worth = checked_money("money_value(t, memory, params, rng)", money_value)
    words = ", ".join(value_words(value).get(word, word) for word in roles["value"].asks)
    adding, relative = adjusting(value)
    lines = [_TAKE, f"    value({words})", *adding]
    lines += [f"    return best_deal({relative}, {worth}, book, board, rng)"]
    exec("\n".join(lines), scope)
    take = scope["take"]
    take.__doc__ = value.__doc__
    return take


def room_for(value: Callable[..., None]) -> dict[str, str]:
    """The arrays that a behaviour needs if its `value` asks for adjustments."""
    is_adjusted = "adjustments" in asked(value, ROLES["behaviour"]["value"])
    return {"adjustments": "arms", "relative": "arms"} if is_adjusted else {}


def value_words(value: Callable[..., None], values: str = "memory.values") -> dict[str, str]:
    """The arrays that a call to `value` fills in."""
    return {"values": values, "adjustments": "memory.adjustments" if room_for(value) else "None"}


def adjusting(value: Callable[..., None], values: str = "memory.values") -> tuple[list[str], str]:
    """The lines that finish values, and the array to compare arms by.

    They add adjustments, if there are any, and check what a user's function wrote.
    """
    checks = [] if is_own(value.__module__) else [f"    must_be_finite({values})"]
    if not room_for(value):
        return checks, values
    line = f"    add_adjustments({values}, memory.adjustments, memory.relative)"
    return [line, *checks], "memory.relative"


def checked_money(call: str, money_value: Callable[..., float]) -> str:
    """The call, and a check of what it returns if the function is a user's."""
    return call if is_own(money_value.__module__) else f"finite({call})"


@cache
def paired(parts: tuple[Entry, Entry]) -> Entry:
    """The behaviour that values arms like the first part and decides like the second."""
    belief, decision = parts
    assert belief.value
    valuing, given = _valuing(parts)
    lines = [_TAKE, *valuing, f"    return {call('act', 1, parts, **given)}"]
    take = written(lines, parts, Board=Board, add_adjustments=add_adjustments, **CHECKS)
    take.__doc__ = f"{belief.about} Decides by the rule {decision.name!r}."
    hear = ["def hear(t, arm, reward, book, memory, params, rng):"]
    report = ["def report(reward, payment, memory, params, rng):"]
    return Entry(
        "behaviour",
        belief.name,
        take,
        learn=belief.learn and written([*hear, f"    {call('learn', 0, parts)}"], parts),
        parameters=parameters_of(parts),
        memory={
            "values": "arms",
            "worth": "arms",
            **room_for(belief.value),
            **memory_of(parts),
        },
        cites=belief.cites,
        report=belief.report
        and written([*report, f"    return {call('report', 0, parts)}"], parts),
        parts=parts,
        made_by=paired,
    )


def _valuing(parts: tuple[Entry, Entry]) -> tuple[list[str], dict[str, str]]:
    """The lines in which a customer values the arms, and what her decision is then given."""
    value, money_value = parts[0].value, parts[0].money_value
    assert value
    adding, relative = adjusting(value)
    lines = [f"    {call('value', 0, parts, **value_words(value))}", *adding]
    given = {"values": "memory.values", "relative": relative}
    if money_value:
        given["board"] = "Board(board.target, memory.worth, board.rivals)"
        lines += [
            f"    money_value = {checked_money(call('money_value', 0, parts), money_value)}",
            "    for arm in range(len(book.means)):",
            "        memory.worth[arm] = money_value * board.offers[arm]",
        ]
    return lines, given


@cache
def chances_of(entry: Entry) -> Callable[..., None]:
    """A function with the arguments of `CHANCES` that fills in the chance of each arm.

    The entry is a pair whose decision has `chances`.
    """
    belief, decision = entry.parts
    parts = (belief, decision)
    valuing, given = _valuing(parts)
    lines = [f"def chances({', '.join(CHANCES.asks)}):", *valuing]
    lines += [f"    {call('chances', 1, parts, **given)}"]
    return written(lines, parts, Board=Board, add_adjustments=add_adjustments, **CHECKS)


def gives_values(entry: Entry) -> bool:
    """Whether customers note what every arm is worth to them before they choose."""
    if is_mixture(entry):
        return all(map(gives_values, entry.parts))
    return entry.is_belief or entry.made_by is paired


def is_mixture(entry: Entry) -> bool:
    """Whether customers are of several kinds."""
    return bool(entry.parts) and entry.made_by is not paired


def value_of(entry: Entry) -> Callable[..., float]:
    """A function of memory and arm: what the arm is worth to the customer who has just chosen."""
    if not gives_values(entry):
        lines = ["    return 0.0"]
    elif is_mixture(entry):
        kinds = range(len(entry.parts))
        lines = [f"    if memory.kind[0] == {k}.0: return memory.of_{k}_values[arm]" for k in kinds]
        lines += ["    return 0.0"]
    else:
        lines = ["    return memory.values[arm]"]
    return written(["def value(memory, arm):", *lines], ())


def kind_of(entry: Entry) -> Callable[..., int]:
    """A function of memory: the kind of the customer who has just chosen, 0 if there is but one."""
    kind = "int(memory.kind[0])" if is_mixture(entry) else "0"
    return written(["def kind(memory):", f"    return {kind}"], ())


def parameters_of(parts: tuple[Entry, ...]) -> dict[str, Parameter]:
    """The parameters of all parts, each named after its part."""
    return {
        f"of_{k}_{word}": each
        for k, part in enumerate(parts)
        for word, each in part.parameters.items()
    }


def memory_of(parts: tuple[Entry, ...]) -> dict[str, str | int | Contents]:
    """The memory of all parts; `given["of"]` has the settings of each."""
    return {
        f"of_{k}_{word}": partial(_contents, k, part, word)
        for k, part in enumerate(parts)
        for word in part.memory
    }


def _contents(place: int, part: Entry, word: str, arms: int, given: Mapping[str, Any]) -> Any:
    field = list(part.memory).index(word)
    return part.blank_memory(arms, {"horizon": given["horizon"], **given["of"][place]})[field]


def call(
    field: str, k: int, parts: tuple[Entry, ...], asks: tuple[str, ...] = (), /, **given: str
) -> str:
    """The source of a call to a function of the k-th part, with its own memory and parameters.

    `asks` are the arguments of a function that is not one of the part's own.
    """
    memory = ", ".join(f"memory.of_{k}_{word}" for word in parts[k].memory)
    params = ", ".join(f"params.of_{k}_{word}" for word in parts[k].parameters)
    own = {"memory": f"Memory_{k}({memory})", "params": f"Params_{k}({params})", **given}
    asks = asks or ROLES[parts[k].kind][field].asks
    return f"{field}_{k}({', '.join(own.get(word, word) for word in asks)})"


def written(
    lines: list[str], parts: tuple[Entry, ...], module: str = __name__, **scope: Any
) -> Callable[..., Any]:
    """The function of some source text, written in a module, or in a user's if a part is."""
    foreign = [part.module for part in parts if not is_own(part.module)]
    scope["__name__"] = foreign[0] if foreign else module
    for k, part in enumerate(parts):
        scope |= {f"{field}_{k}": each for field, each in part.calls.items()}
        scope |= {f"Memory_{k}": fields_type(tuple(part.memory))}
        scope |= {f"Params_{k}": fields_type(tuple(part.parameters))}
    exec("\n".join(lines), scope)
    return scope[lines[0].split("(")[0].removeprefix("def ")]  # type: ignore[no-any-return]
