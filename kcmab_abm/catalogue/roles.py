"""The arguments that each function of an entry may ask for, and how engines call it.

A function lists the arguments that it needs and gets only those. So adding an argument breaks no
existing function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Role(NamedTuple):
    """The name of a function of an entry in messages, and the arguments that it may ask for."""

    name: str
    asks: tuple[str, ...]


_ALWAYS = ("memory", "params", "rng")
# The functions of an entry of each kind, by the field of `Entry` or `Law` that holds them.
ROLES: dict[str, dict[str, Role]] = {
    "policy": {
        "act": Role(
            "choose", ("t", "horizon", "book", "view", "customer", "purse", "tables", *_ALWAYS)
        ),
        "learn": Role("learn", ("t", "arm", "reward", "book", *_ALWAYS)),
        "answered": Role("answered", ("t", "target", "offer", "arm", "customer", "book", *_ALWAYS)),
    },
    "behaviour": {
        "act": Role("take", ("t", "book", "board", *_ALWAYS)),
        "value": Role("value", ("t", "book", "values", "adjustments", *_ALWAYS)),
        "money_value": Role("money_value", ("t", *_ALWAYS)),
        "learn": Role("hear", ("t", "arm", "reward", "book", *_ALWAYS)),
        "report": Role("report", ("reward", "payment", *_ALWAYS)),
    },
    "decision": {
        "act": Role("decide", ("t", "book", "board", "values", "relative", *_ALWAYS)),
        "chances": Role(
            "chances", ("t", "book", "board", "values", "relative", "chances", *_ALWAYS)
        ),
    },
    "pricing rule": {
        "act": Role("price", ("t", "horizon", "arm", "gap", "book", "customer", "purse", *_ALWAYS)),
        "answered": Role("answered", ("t", "arm", "offer", "taken", "customer", *_ALWAYS)),
    },
    "disclosure": {
        "act": Role("show", ("t", "book", "view", *_ALWAYS)),
        "learn": Role("hear", ("t", "arm", "reward", "book", *_ALWAYS)),
    },
    "measure": {
        "act": Role(
            "count",
            (
                *("t", "horizon", "target", "offer", "arm", "payment", "reward", "regret", "wait"),
                *("kind", "value", "seeded", "params"),
            ),
        ),
    },
    "run measure": {
        "act": Role(
            "count",
            (
                *("horizon", "clock", "targets", "offers", "arms", "payments", "rewards"),
                *("regrets", "waits", "seeded", "params"),
            ),
        ),
    },
    "law": {
        "reward": Role("reward", ("u", "row")),
        "move": Role("move", ("mean", "row", "moved")),
    },
}


def asked(function: Callable[..., Any], role: Role) -> list[str]:
    """The arguments that a function asks for, in its own order."""
    return [word for word in inspect.signature(function).parameters if word in role.asks]


def calling(
    function: Callable[..., Any], role: Role, given: Mapping[str, str] | None = None, **scope: Any
) -> Callable[..., Any]:
    """A function that takes all arguments of its role and passes on those that are asked for.

    Engines call every function of a role in the same way; the compiler inlines the call. `given`
    are expressions to pass on instead of some arguments, with names from `scope`.
    """
    words = [f"{word}={(given or {}).get(word, word)}" for word in asked(function, role)]
    source = f"def act({', '.join(role.asks)}): return function({', '.join(words)})"
    names = {"__name__": function.__module__, "function": function, **scope}
    exec(source, names)
    return names["act"]  # type: ignore[no-any-return]
