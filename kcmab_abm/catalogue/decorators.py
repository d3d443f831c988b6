"""The decorators that put policies, behaviours, decisions and pricing rules into the catalogues.

An entry is one file with one decorated function; nothing else is edited to add it. The same
decorators work in a user's script or notebook cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from kcmab_abm.catalogue.composition import greedy_take, room_for
from kcmab_abm.catalogue.entries import (
    Contents,
    Entry,
    Kind,
    Parameter,
    Settings,
    Table,
)
from kcmab_abm.catalogue.needs import Needs
from kcmab_abm.catalogue.registry import CATALOGUES
from kcmab_abm.catalogue.roles import ROLES
from kcmab_abm.catalogue.signatures import (
    asks_for_values,
    check_function,
    check_name,
    check_settings,
    check_tables,
)

PlainFunction = TypeVar("PlainFunction", bound=Callable[..., Any])
Memory = Mapping[str, str | int | Contents]


def policy(
    name: str,
    *,
    cites: str = "",
    learn: Callable[..., None] | None = None,
    answered: Callable[..., None] | None = None,
    memory: Memory | None = None,
    tables: Mapping[str, Table] | None = None,
    needs: Needs | None = None,
    settings: type[Settings] | None = None,
    **parameters: Parameter,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register a policy: a function that returns the arm to promote to the next customer.

    Each function lists the arguments that it needs, in any order.

    Parameters
    ----------
    name
        The name in scenario files: lower-case words joined by hyphens.
    cites
        Where the policy comes from.
    learn
        Hears every report; may ask for t, arm, reward, book, memory, params, rng.
    answered
        Hears every choice at once; may ask for t, target, offer, arm (-1: she left), customer,
        book, memory, params, rng.
    memory
        The float arrays that the functions may write to, by name, each with its length: "arms",
        "horizon", the name of a parameter, a number, or a function of the number of arms and the
        settings.
    tables
        Arrays that `choose` reads and nobody writes to, by name, each a function of the number of
        arms and the settings that returns it. All replications share them.
    needs
        The markets that the policy is made for, if not for all; others are refused.
    settings
        A class of `Settings` for settings that are not numbers.
    parameters
        The settings of the policy, each a `Parameter`.

    Returns
    -------
    A decorator for `choose`, which may ask for t, horizon, book, view (what the customer sees of
    the book), customer, purse, tables, memory, params and rng.

    Examples
    --------
    >>> from kcmab_abm import leader, policy
    >>> @policy("follow-the-leader", cites="Section 1")
    ... def choose(book, rng):
    ...     '''Always promote the arm with the best record; pays nothing.'''
    ...     return leader(book, rng)
    """
    functions = {"learn": learn, "answered": answered}
    check_name("policy", name)
    check_tables(f"policy {name!r}", tables or {})
    more = {"tables": tables or {}, "needs": needs, "settings": settings, "cites": cites}
    return register("policy", name, parameters, memory=memory or {}, **functions, **more)


def behaviour(
    name: str,
    *,
    cites: str = "",
    value: Callable[..., None] | None = None,
    money_value: Callable[..., float] | None = None,
    hear: Callable[..., None] | None = None,
    report: Callable[..., float] | None = None,
    memory: Memory | None = None,
    settings: type[Settings] | None = None,
    **parameters: Parameter,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register a behaviour: what arms are worth to a customer, or which arm she takes.

    A function that asks for `values` fills in what each arm is worth to her; she then takes the
    best deal, or decides by the rule that a scenario chooses. If that is the mean of the record and
    something else, `values` takes the mean and `adjustments` the rest, so that rounding the sum
    cannot make her refuse the least offer. Any other function returns the arm that she takes, or -1
    to leave.

    Parameters
    ----------
    name
        The name in scenario files: lower-case words joined by hyphens.
    cites
        Where the behaviour comes from.
    value
        Fills in what each arm is worth, if the decorated function returns an arm and scenarios
        may choose another decision; may ask for t, book, values, adjustments, memory, params, rng.
    money_value
        Returns what a payment of 1 is worth to customer t, by default 1; may ask for t, memory,
        params, rng.
    hear
        Hears what customer t reports; may ask for t, arm, reward, book, memory, params, rng.
    report
        Returns what a customer says that she got; may ask for reward, payment, memory, params, rng.
    memory
        The float arrays that the functions may write to, as for `policy`.
    settings
        A class of `Settings` for settings that are not numbers.
    parameters
        The settings of the behaviour, each a `Parameter`.

    Returns
    -------
    A decorator for `value`, which may ask for t, book, values, adjustments, memory, params and rng,
    or for `take`, which may ask for t, book, board, memory, params and rng.

    Examples
    --------
    >>> from kcmab_abm import behaviour
    >>> @behaviour("suspicious")
    ... def value(book, values):
    ...     '''Believes half of the reports.'''
    ...     for arm in range(len(values)):
    ...         values[arm] = book.means[arm] / 2
    """
    parts = {"value": value, "money_value": money_value, "learn": hear, "report": report}
    return register(
        "behaviour", name, parameters, memory=memory or {}, settings=settings, cites=cites, **parts
    )


def decision(
    name: str,
    *,
    cites: str = "",
    chances: Callable[..., None] | None = None,
    memory: Memory | None = None,
    **parameters: Parameter,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register a decision: a function that returns an arm, given values and offers, or -1 to leave.

    Parameters
    ----------
    name
        The name in scenario files: lower-case words joined by hyphens.
    cites
        Where the rule comes from.
    chances
        Fills in the probability of each arm; may ask for t, book, board, values, relative, chances,
        memory, params, rng.
    memory
        The float arrays that the functions may write to, as for `policy`.
    parameters
        The settings of the decision, each a `Parameter`.

    Returns
    -------
    A decorator for `decide`, which may ask for t, book, board, values, relative, memory, params and
    rng. `relative` are the values up to a constant, for `best_deal` and other comparisons: unlike
    those of `values`, its differences are rounded only once.
    """
    return register("decision", name, parameters, chances=chances, memory=memory or {}, cites=cites)


def pricing(
    name: str,
    *,
    cites: str = "",
    answered: Callable[..., None] | None = None,
    memory: Memory | None = None,
    settings: type[Settings] | None = None,
    **parameters: Parameter,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register a pricing rule: a function that returns the offer for an arm that lags by `gap`.

    Parameters
    ----------
    name
        The name in scenario files: lower-case words joined by hyphens.
    cites
        Where the rule comes from.
    answered
        Hears whether customer t took the target for what was offered; may ask for t, arm, offer,
        taken, customer, memory, params, rng.
    memory
        The float arrays that the functions may write to, as for `policy`.
    settings
        A class of `Settings` for settings that are not numbers.
    parameters
        The settings of the rule, each a `Parameter`.

    Returns
    -------
    A decorator for `price`, which may ask for t, horizon, arm, gap, book, customer, purse, memory,
    params and rng.
    """
    parts = {"answered": answered, "settings": settings, "cites": cites}
    return register("pricing rule", name, parameters, memory=memory or {}, **parts)


def register(
    kind: Kind, name: str, parameters: Mapping[str, Parameter], *, memory: Memory, **parts: Any
) -> Callable[[PlainFunction], PlainFunction]:
    """Return the decorator that puts an entry of this kind into its catalogue."""
    check_name(kind, name)
    check_settings(kind, name, parameters, memory, [*parts, "memory"])

    def keep(function: PlainFunction) -> PlainFunction:
        CATALOGUES[kind].check_name(name, _module(function))
        names = {"params": tuple(parameters), "memory": tuple(memory)}
        names["tables"] = tuple(parts.get("tables", ()))
        given = {word: each for word, each in parts.items() if callable(each)}
        is_belief = kind == "behaviour" and asks_for_values(function)
        given["value" if is_belief else "act"] = function
        for field, role in ROLES[kind].items():
            if field in given:
                check_function(f"{kind} {name!r}", role, given[field], names)
        held = dict(memory)
        if is_belief:
            parts.update(value=function, is_belief=True)
            held["values"] = "arms"
        if kind == "behaviour" and (is_belief or parts["value"]):
            held.update(room_for(given["value"]))
        act: Any = greedy_take(function, parts["money_value"]) if is_belief else function
        CATALOGUES[kind].add(
            Entry(kind, name, act, parameters=dict(parameters), memory=held, **parts)
        )
        return function

    return keep


def _module(thing: object) -> str:
    return str(getattr(thing, "__module__", ""))
