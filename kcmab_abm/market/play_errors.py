"""Error messages for the functions of agents and laws: which one, for which customer, where, why.

The batch engine only detects that something went wrong and replays the replication in the market,
so both engines report the same message.
"""

from __future__ import annotations

import difflib
import math
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from kcmab_abm.catalogue.entries import Entry, Law
from kcmab_abm.errors import PlayError
from kcmab_abm.model.book import Book
from kcmab_abm.scenario.measures import COUNTS

_TERSE = (KeyError, StopIteration, AssertionError, SystemExit)  # their text alone says little
_LONGEST = 60  # characters of a returned value that are shown


def guarded(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    blamed: tuple[Entry | Law, int, int],
) -> Any:
    """Call a function; if it raises, blame this entry, for this customer and replication."""
    try:
        return function(*arguments)
    except (Exception, SystemExit) as error:
        raise failed(error, *blamed) from error


def failed(error: BaseException, blamed: Entry | Law, customer: int, replication: int) -> PlayError:
    """The error for a function that raised while it served a customer."""
    frames = list(traceback.walk_tb(error.__traceback__))
    if isinstance(blamed, Entry):
        blamed = _part_of(blamed, {frame.f_code for frame, _ in frames})
    files = {code.co_filename for code in _codes(blamed)} - {"<string>"}  # generated around them
    lines = [(frame, line) for frame, line in frames if frame.f_code.co_filename in files]
    place, words = "", _words(error, lines[-1][0] if lines else None)
    if lines:
        frame, line = lines[-1]
        place = f" ({Path(frame.f_code.co_filename).name}, line {line})"
    return _error(blamed, "failed for", customer, replication, f"{place}: {words}")


def bad_target(policy: Entry, arm: object, arms: int, customer: int, replication: int) -> PlayError:
    """The error for a policy that promotes an arm that does not exist."""
    rule = f"; arms are 0..{arms - 1}"
    return _error(policy, f"chose arm {_shown(arm)} for", customer, replication, rule)


def bad_arm(behaviour: Entry, arm: object, arms: int, customer: int, replication: int) -> PlayError:
    """The error for a customer who takes an arm that does not exist."""
    rule = f"; arms are 0..{arms - 1}, or -1 to leave"
    return _error(behaviour, f"took arm {_shown(arm)} as", customer, replication, rule)


def bad_offer(rule: Entry, price: object, customer: int, replication: int, fees: bool) -> PlayError:
    """The error for an offer that cannot be paid."""
    allowed = f"; an offer is a finite number{'' if fees else ' >= 0'}"
    if isinstance(price, float | int) and -math.inf < price < 0:
        allowed += "; to charge a fee, set purse.fees to true"
    return _error(rule, f"offered {_shown(price)} to", customer, replication, allowed)


def bad_view(disclosure: Entry, view: Book, customer: int, replication: int) -> PlayError:
    """The error for a disclosure that shows something which is no record."""
    arms = zip(view.pulls.tolist(), view.totals.tolist(), view.means.tolist(), strict=True)
    for arm, (pulls, total, mean) in enumerate(arms):
        if not (pulls >= 0 and math.isfinite(total) and math.isfinite(mean)):
            what = f"{pulls} reports on arm {arm} with total {total} and mean {mean}"
            break
    rule = "; there are 0 reports or more, and totals and means are finite numbers"
    return _error(disclosure, f"showed {what} to", customer, replication, rule)


def bad_report(behaviour: Entry, told: object, customer: int, replication: int) -> PlayError:
    """The error for a report that the book cannot hold."""
    rule = "; a report is a finite number"
    return _error(behaviour, f"reported {_shown(told)} as", customer, replication, rule)


def bad_reward(law: Law, reward: object, customer: int, replication: int) -> PlayError:
    """The error for a reward outside [0, 1]."""
    rule = "; a reward is a number from 0 to 1"
    return _error(law, f"paid {_shown(reward)} to", customer, replication, rule)


def bad_count(measure: Entry, value: object, customer: int, replication: int) -> PlayError:
    """The error for a measure whose sums would not be numbers."""
    return _error(measure, f"counted {_shown(value)} for", customer, replication, f"; {COUNTS}")


def _error(blamed: Entry | Law, did: str, customer: int, replication: int, rest: str) -> PlayError:
    whom = f"customer {customer} of replication {replication}"
    return PlayError(f"{blamed.kind} {blamed.name!r} {did} {whom}{rest}")


def _shown(answer: object) -> str:
    words = " ".join(str(answer).split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."


def _part_of(entry: Entry, running: set[CodeType]) -> Entry:
    """The part of a mixture whose function was running."""
    for part in entry.parts:
        if running.intersection(_codes(part)):
            return _part_of(part, running)
    return entry


def _codes(blamed: Entry | Law) -> list[CodeType]:
    return [each.__code__ for each in blamed.functions.values()]


def _words(error: BaseException, frame: FrameType | None) -> str:
    """The description of an exception, on one line."""
    words = " ".join(str(error).split())
    if isinstance(error, AttributeError) and hasattr(error.obj, "_fields"):
        return _no_field(str(error.name), error.obj, frame.f_locals if frame else {})
    if isinstance(error, ValueError) and words.endswith("is read-only"):
        return (
            f"{words}: book, board, tables and the row of a law are for reading; write to memory "
            "instead"
        )
    if not words or isinstance(error, _TERSE):
        return f"{type(error).__name__} {words}".strip()
    return words


def _no_field(wrong: str, fields: Any, scope: dict[str, Any]) -> str:
    """The message for a misspelt name after `params.`, `memory.` and the like."""
    whose = next((word for word, value in scope.items() if value is fields), "the tuple")
    near = difflib.get_close_matches(wrong, fields._fields, n=1, cutoff=0.6)
    hint = f". Did you mean {near[0]!r}?" if near else ""
    return f"{whose} has no {wrong!r}; it has: {', '.join(fields._fields) or 'nothing'}{hint}"
