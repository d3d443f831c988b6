"""Functions that pick one market out of many, generated from the fields of the state.

Compiled code cannot loop over the fields of a named tuple. Being generated, they include whatever
is added to the state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_origin, get_type_hints

import numpy as np

from kcmab_abm.batch.state import Block, Job, State, Streams

STREAMS = [name for name in Streams._fields if name.endswith("_words")]
WORDS = 5  # of the state of one stream


def picking() -> dict[str, Any]:
    """The functions that the template `stepper.py` lacks, by name."""
    given = {
        "state": _picked(State, "markets.states", "[place]"),
        "block": _picked(Block, "job.block", "[place:place + 1]"),
    }
    fields = [given.get(name, f"job.{name}") for name in Job._fields]
    words = [f"streams.{name}[k]" for name in STREAMS]
    kept = [f"markets.words[place, {number}, k]" for number in range(len(STREAMS))]
    return {
        "job_of": _written(f"def act(job, markets, place): return Job({', '.join(fields)})"),
        "load_streams": _copying(words, kept),
        "store_streams": _copying(kept, words),
    }


def _picked(kind: Any, source: str, index: str) -> str:
    """The source of a named tuple like `source`, with an index after each of its arrays."""
    parts = []
    for name, hint in get_type_hints(kind).items():
        part = f"{source}.{name}"
        if get_origin(hint) is np.ndarray:
            part += index
        elif _is_tuple(hint):
            part = _picked(hint, part, index)
        parts.append(part)
    return f"{kind.__name__}({', '.join(parts)})"


def _copying(left: list[str], right: list[str]) -> Callable[..., Any]:
    lines = [f"def act(streams, markets, place):\n    for k in range({WORDS}):"]
    lines += [f"        {to} = {source}" for to, source in zip(left, right, strict=True)]
    return _written("\n".join(lines))


def _written(source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"__name__": __name__, "Job": Job}
    for kind in (State, Block):
        names |= _kinds(kind)
    exec(source, names)
    return names["act"]  # type: ignore[no-any-return]


def _kinds(kind: Any) -> dict[str, Any]:
    """A named tuple and those within it, by name."""
    found = {kind.__name__: kind}
    for hint in get_type_hints(kind).values():
        if _is_tuple(hint):
            found |= _kinds(hint)
    return found


def _is_tuple(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, tuple)
