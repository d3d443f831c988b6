"""Several kinds of customers in one market.

Each customer's kind is drawn by the weights when she arrives, and she behaves accordingly. Every
kind hears the reports of all customers. A kind of weight 0 is left out, and no draw is made if only
one remains: a mixture of greedy alone is greedy.

    customers = { behaviour = "mixture", of = [
        { behaviour = "stubborn", share = 1.0, weight = 0.3 },
        { behaviour = "logit", tau = 0.05, weight = 0.7 },
    ] }

With `visible = true` policies and pricing rules see the kind of each customer before they act:
`customer.kind` is her kind's place in the list, from 0. Without it, `customer.kind` is always 0.
"""

from __future__ import annotations

from functools import cache

from kcmab_abm.catalogue.composition import call, memory_of, parameters_of, written
from kcmab_abm.catalogue.entries import Entry, Parameter
from kcmab_abm.catalogue.registry import BEHAVIOURS
from kcmab_abm.entries.behaviours import greedy


@cache
def compose(parts: tuple[Entry, ...]) -> Entry:
    """The behaviour of a mixture of these kinds.

    Its parameters are the share of each kind, then the parameters of the kinds in order; its memory
    holds theirs. Its functions are generated as source text, because compiled code cannot loop over
    functions of different types.
    """
    kinds = range(len(parts))
    may_differ = any(part.report for part in parts)  # a report from the reward
    shares = {f"share_{k}": Parameter(1.0, "share of this kind", ge=0.0, le=1.0) for k in kinds}
    return Entry(
        "behaviour",
        "mixture",
        written(_act_lines(parts), parts, __name__),
        learn=written(_hear_lines(parts), parts, __name__),
        parameters=shares | parameters_of(parts),
        memory={"kind": 1, **memory_of(parts)},
        cites="mixtures of types",
        report=written(_report_lines(parts), parts, __name__) if may_differ else None,
        parts=parts,
        made_by=compose,
    )


def _act_lines(parts: tuple[Entry, ...]) -> list[str]:
    lines = ["def take(t, book, board, memory, params, rng):"]
    lines += ['    """Behaves like one of several kinds of customers, drawn by their weights."""']
    if len(parts) > 1:
        lines += ["    left = rng.random()"]
    for k in range(len(parts) - 1):
        lines += [f"    left -= params.share_{k}", "    if left < 0.0:"]
        lines += [f"        memory.kind[0] = {k}.0", f"        return {call('act', k, parts)}"]
    last = len(parts) - 1
    return [*lines, f"    memory.kind[0] = {last}.0", f"    return {call('act', last, parts)}"]


def _hear_lines(parts: tuple[Entry, ...]) -> list[str]:
    calls = [f"    {call('learn', k, parts)}" for k in range(len(parts)) if parts[k].learn]
    return ["def hear(t, arm, reward, book, memory, params, rng):", *calls, "    return"]


def _report_lines(parts: tuple[Entry, ...]) -> list[str]:
    lines = ["def report(reward, payment, memory, params, rng):"]
    for k, part in enumerate(parts):
        if part.report:
            lines += [f"    if memory.kind[0] == {k}.0: return {call('report', k, parts)}"]
    return [*lines, "    return reward"]


def _register() -> None:
    """Register the mixture of greedy customers alone; its `compose` makes all others."""
    alone = compose((BEHAVIOURS[greedy.take.__module__.rpartition(".")[2]],))
    BEHAVIOURS.add(Entry("behaviour", "mixture", alone.act, cites=alone.cites, compose=compose))


_register()
