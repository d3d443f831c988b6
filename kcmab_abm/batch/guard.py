"""Read-only arrays for users' functions in compiled code.

Each function is called through a generated one that seals what it must not write to: the compiler
then refuses to assign. A law gets only its own numbers, although all rows are as long as the
longest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import intrinsic

from kcmab_abm.catalogue.entries import is_own
from kcmab_abm.catalogue.roles import Role, calling
from kcmab_abm.model.book import Book
from kcmab_abm.model.budget import Purse
from kcmab_abm.model.offers import Board

_BOOK = (
    "Book(sealed({0}.pulls), sealed({0}.totals), sealed({0}.means), sealed({0}.top), "
    "sealed({0}.behind), {0}.first_ties)"
)
_SEALED = {
    "book": _BOOK.format("book"),
    "view": _BOOK.format("view"),
    "board": "Board(board.target, sealed(board.offers), board.rivals)",
    "purse": "Purse(purse.counted, purse.cap, purse.budget, purse.period, purse.period_budget, "
    "purse.pays_rest, sealed(purse.spent), sealed(purse.lately), sealed(purse.number))",
}
_MOVE = """
def act(mean, row, moved):
    width = int(row[-1])
    for place in range(width):
        moved[place] = 0.0
    moved[-1] = row[-1]
    call(mean, row, moved)
"""


@intrinsic
def sealed(typingctx: Any, array: Any) -> Any:
    """The same array, with a read-only type."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return arguments[0]

    return types.Array(array.dtype, array.ndim, array.layout, readonly=True)(array), generate


def sealed_call(role: Role, function: Callable[..., Any]) -> Any:
    """A function that takes all arguments of its role; a user's gets sealed arrays.

    The generated function belongs to the package and so is compiled without reference counts: a
    sealed array is the same array, not another reference to it.
    """
    if is_own(function.__module__):
        return calling(function, role)
    scope: dict[str, Any] = {"__name__": __name__, "sealed": sealed}
    if "row" not in role.asks:
        given = {**_SEALED, "view": "view"} if role.name == "show" else _SEALED
        return calling(function, role, given, Book=Book, Board=Board, Purse=Purse, **scope)
    rows = {"row": "sealed(row[:int(row[-1])])", "moved": "moved[:int(row[-1])]"}
    call = calling(function, role, rows, **scope)
    if "moved" not in role.asks:
        return call
    scope |= {"call": call}
    exec(_MOVE, scope)
    return scope["act"]
