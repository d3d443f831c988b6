"""The kernels: the functions that each is compiled with, and the flags that remove branches."""

from __future__ import annotations

import types
from functools import cache
from typing import Any

from kcmab_abm.batch.compile import Prepare, define, module_for
from kcmab_abm.catalogue.composition import kind_of, value_of
from kcmab_abm.catalogue.entries import Entry, Law, fields_type
from kcmab_abm.catalogue.perception import BLIND, PERCEIVE, SETTLE, Sight, steps
from kcmab_abm.catalogue.registry import DISCLOSURES, LAWS
from kcmab_abm.catalogue.roles import ROLES, Role

Agents = tuple[Entry, ...]  # a policy, a behaviour, a pricing rule, a disclosure


@cache
def drawing() -> types.ModuleType:
    """The module that draws random markets, whose arms have laws of the package."""
    laws = known_laws(_own_laws())
    return module_for("drawing", lambda prepare: {"move": _move(laws, prepare)}, {}, laws)


def known_laws(used: tuple[Law, ...]) -> tuple[Law, ...]:
    """The laws that a kernel is compiled for: those in use, and all of the package that are short.

    Its laws with tables compute quantiles where these do not reach, which takes longer to compile
    than most policies. They come after its other laws, so that these are numbered alike everywhere.
    """
    own = _own_laws()
    short = [law for law in own if law.tabulate is None]
    long = [law for law in own if law.tabulate is not None and law in used]
    return (*short, *long, *sorted({*used} - {*own}, key=lambda law: law.name))


def _own_laws() -> tuple[Law, ...]:
    return tuple(LAWS[name] for name in LAWS.own_names())


def kernel_for(
    agents: Agents,
    laws: tuple[Law, ...],
    plain: bool,
    noted: bool = False,
    timed: bool = False,
    sight: Sight = BLIND,
) -> types.ModuleType:
    """The kernel for these agents on arms of these laws.

    A `plain` kernel is for constant arms, one offer at a time and an unlimited purse; a `noted` one
    also writes kinds and values of customers into the block, for measures; a `timed` one is for
    service times and delayed reports. Unless the `sight` is `BLIND`, customers perceive before the
    policy is asked. A kernel is compiled when it is first called, unless its machine code is on
    disk, and is used again as long as nothing that went into it has changed; the package's own
    functions are not checked again.
    """
    if _are_own(agents, laws):
        return _lasting_kernel(agents, laws, plain, noted, timed, sight)
    return _kernel(agents, laws, plain, noted, timed, sight)


def _are_own(agents: Agents, laws: tuple[Law, ...]) -> bool:
    return all(agent.is_own for agent in agents) and all(law.is_own for law in laws)


@cache
def _lasting_kernel(
    agents: Agents, laws: tuple[Law, ...], plain: bool, noted: bool, timed: bool, sight: Sight
) -> types.ModuleType:
    return _kernel(agents, laws, plain, noted, timed, sight)


def _kernel(
    agents: Agents, laws: tuple[Law, ...], plain: bool, noted: bool, timed: bool, sight: Sight
) -> types.ModuleType:
    validate = not _are_own(agents, laws) or agents[1].report is not None
    selective = agents[3] is not DISCLOSURES["full"]
    return module_for(
        "kernel",
        lambda prepare: _supplied(agents, laws, noted, sight, prepare),
        {
            "general": not plain,
            "noted": noted,
            "selective": selective,
            "timed": timed,
            "validate": validate,
            "perceiving": sight != BLIND,
            "knowing": sight.values,
        },
        (agents, laws, sight),
    )


# The names of functions in the template, with the agent (by position) and the field they are from.
_FUNCTIONS = {
    "choose": (0, "act"),
    "learn": (0, "learn"),
    "answered": (0, "answered"),
    "take": (1, "act"),
    "hear": (1, "learn"),
    "report": (1, "report"),
    "price": (2, "act"),
    "see": (2, "answered"),
    "show": (3, "act"),
    "note": (3, "learn"),
}


def _supplied(
    agents: Agents, laws: tuple[Law, ...], noted: bool, sight: Sight, prepare: Prepare
) -> dict[str, Any]:
    """The functions that the template lacks, by name, each prepared for the compiler."""
    supplied = {
        name: _function(agents[place], field, prepare)
        for name, (place, field) in _FUNCTIONS.items()
    }
    supplied |= {"reward": _reward(laws, prepare), "move": _move(laws, prepare)}
    supplied |= {"perceive": _nothing(PERCEIVE), "settle": _nothing(SETTLE)}
    if sight != BLIND:
        perceive, settle = steps(agents[1], sight)
        supplied |= {"perceive": prepare(PERCEIVE, perceive), "settle": prepare(SETTLE, settle)}
    for word, entry in zip(("policy", "customer", "price", "disclosure"), agents, strict=True):
        supplied |= _fields(word, entry)
    supplied["policy_tables"] = _tables(agents[0])
    if noted:
        supplied |= {"kind_of": kind_of(agents[1]), "value_of": value_of(agents[1])}
    return supplied


def policy_functions(policy: Entry, prepare: Prepare) -> dict[str, Any]:
    """What a template needs that asks nobody but the policy, by name."""
    supplied = {
        name: _function(policy, field, prepare)
        for name, (place, field) in _FUNCTIONS.items()
        if place == 0
    }
    return supplied | _fields("policy", policy) | {"policy_tables": _tables(policy)}


def customer_functions(behaviour: Entry, prepare: Prepare) -> dict[str, Any]:
    """What a template needs to let customers hear reports without choosing, by name."""
    return {"hear": _function(behaviour, "learn", prepare), **_fields("customer", behaviour)}


def _fields(word: str, entry: Entry) -> dict[str, Any]:
    """The functions that make the parameters and the memory of an agent from arrays."""
    return {f"{word}_params": _params(entry), f"{word}_memory": _memory(entry)}


def _function(agent: Entry, field: str, prepare: Prepare) -> Any:
    """A function of an agent, or one that does nothing."""
    role = ROLES[agent.kind][field]
    if function := agent.functions.get(field):
        return prepare(role, function)
    return _nothing(role)


def _nothing(role: Role) -> Any:
    return define(f"def act({', '.join(role.asks)}): return {role.asks[0]}")


def _reward(laws: tuple[Law, ...], prepare: Prepare) -> Any:
    lines = ["def act(kind, u, row):"]
    lines += [f"    if kind == {kind}: return law_{kind}(u, row)" for kind in range(len(laws))]
    lines += ["    return 0.0"]
    role = ROLES["law"]["reward"]
    rewards = {f"law_{kind}": prepare(role, law.reward) for kind, law in enumerate(laws)}
    return define("\n".join(lines), **rewards)


def _move(laws: tuple[Law, ...], prepare: Prepare) -> Any:
    role = ROLES["law"]["move"]
    moves = {f"move_{k}": prepare(role, law.move) for k, law in enumerate(laws) if law.move}
    lines = ["def act(kind, mean, row, moved):"]
    lines += [f"    if kind == {name[5:]}: {name}(mean, row, moved)" for name in moves]
    return define("\n".join([*lines, "    return"]), **moves)


def _params(entry: Entry) -> Any:
    casts = [type(parameter.default).__name__ for parameter in entry.parameters.values()]
    values = [f"{cast}(values[{place}])" for place, cast in enumerate(casts)]
    fields = fields_type(tuple(entry.parameters))
    return define(f"def act(values): return Fields({', '.join(values)})", Fields=fields)


def _memory(entry: Entry) -> Any:
    parts = [f"flat[bounds[{k}]:bounds[{k + 1}]]" for k in range(len(entry.memory))]
    fields = fields_type(tuple(entry.memory))
    return define(f"def act(flat, bounds): return Fields({', '.join(parts)})", Fields=fields)


def _tables(policy: Entry) -> Any:
    parts = [f"tables[{k}]" for k in range(len(policy.tables))]
    fields = fields_type(tuple(policy.tables))
    return define(f"def act(tables): return Fields({', '.join(parts)})", Fields=fields)
