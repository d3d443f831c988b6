"""Customers of several kinds in one market.

Each customer is of one kind, drawn by the weights when she comes, and behaves as that kind does;
what a kind remembers of others' reports it hears from all. A kind of weight 0 is left out, and one
that is alone is not drawn: a mixture of greedy alone is greedy.

    customers = { behaviour = "mixture", of = [
        { behaviour = "stubborn", share = 1.0, weight = 0.3 },
        { behaviour = "logit", tau = 0.05, weight = 0.7 },
    ] }
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from kcmab_abm.behaviours import greedy
from kcmab_abm.catalogue import BEHAVIOURS
from kcmab_abm.entries import Contents, Entry, Parameter, fields_type

_PACKAGE = __name__.partition(".")[0]


@cache
def compose(parts: tuple[Entry, ...]) -> Entry:
    """The behaviour of customers each of whom is of one of these kinds.

    Its parameters are the share of each kind, then the parameters of the kinds one after another;
    its memory holds theirs. The functions are written out as text, for a compiler cannot loop over
    functions of different shapes.
    """
    kinds = range(len(parts))
    shares = {f"share_{k}": Parameter(1.0, "share of this kind", ge=0.0, le=1.0) for k in kinds}
    theirs = {f"of_{k}_{word}": each for k in kinds for word, each in parts[k].parameters.items()}
    memory: dict[str, str | int | Contents] = {
        f"of_{k}_{word}": partial(_contents, k, parts[k], word)
        for k in kinds
        for word in parts[k].memory
    }
    return Entry(
        "behaviour",
        "mixture",
        _written(_act_lines(parts), parts),
        learn=_written(_hear_lines(parts), parts),
        parameters=shares | theirs,
        memory={"kind": 1} | memory,
        cites="mixtures of types",
        report=_written(_report_lines(parts), parts),
        parts=parts,
    )


def _contents(kind: int, part: Entry, word: str, arms: int, given: Mapping[str, Any]) -> Any:
    place = list(part.memory).index(word)
    return part.blank_memory(arms, given["of"][kind])[place]


def _act_lines(parts: tuple[Entry, ...]) -> list[str]:
    lines = ["def take(t, book, board, memory, params, rng):"]
    lines += ['    """Behaves as one of several kinds of customers, drawn by their weights."""']
    if len(parts) > 1:
        lines += ["    left = rng.random()"]
    for k in range(len(parts) - 1):
        lines += [f"    left -= params.share_{k}", "    if left < 0.0:"]
        lines += [f"        memory.kind[0] = {k}.0", f"        return {_call('act', k, parts)}"]
    last = len(parts) - 1
    return [*lines, f"    memory.kind[0] = {last}.0", f"    return {_call('act', last, parts)}"]


def _hear_lines(parts: tuple[Entry, ...]) -> list[str]:
    calls = [f"    {_call('learn', k, parts)}" for k in range(len(parts)) if parts[k].learn]
    return ["def hear(t, arm, reward, book, memory, params, rng):", *calls, "    return"]


def _report_lines(parts: tuple[Entry, ...]) -> list[str]:
    lines = ["def report(reward, payment, memory, params, rng):"]
    for k, part in enumerate(parts):
        if part.report:
            lines += [f"    if memory.kind[0] == {k}.0: return {_call('report', k, parts)}"]
    return [*lines, "    return reward"]


_ARGUMENTS = {
    "act": "t, book, board, {memory}, {params}, rng",
    "learn": "t, arm, reward, book, {memory}, {params}, rng",
    "report": "reward, payment, {memory}, {params}, rng",
}


def _call(role: str, k: int, parts: tuple[Entry, ...]) -> str:
    memory = ", ".join(f"memory.of_{k}_{word}" for word in parts[k].memory)
    params = ", ".join(f"params.of_{k}_{word}" for word in parts[k].parameters)
    arguments = _ARGUMENTS[role].format(
        memory=f"Memory_{k}({memory})", params=f"Params_{k}({params})"
    )
    return f"{role}_{k}({arguments})"


def _written(lines: list[str], parts: tuple[Entry, ...]) -> Callable[..., Any]:
    foreign = [part.module for part in parts if not part.module.startswith(f"{_PACKAGE}.")]
    scope: dict[str, Any] = {"__name__": foreign[0] if foreign else __name__}
    for k, part in enumerate(parts):
        scope |= {f"act_{k}": part.act, f"learn_{k}": part.learn, f"report_{k}": part.report}
        scope |= {f"Memory_{k}": fields_type(tuple(part.memory))}
        scope |= {f"Params_{k}": fields_type(tuple(part.parameters))}
    exec("\n".join(lines), scope)
    return scope[lines[0].split("(")[0].removeprefix("def ")]  # type: ignore[no-any-return]


def _register() -> None:
    """Put the mixture of greedy customers alone into the catalogue, which makes all others."""
    alone = compose((BEHAVIOURS.find(greedy.take.__module__.rpartition(".")[2]),))
    BEHAVIOURS.add(
        Entry(
            "behaviour",
            "mixture",
            alone.act,
            cites=alone.cites,
            compose=compose,
        )
    )


_register()
