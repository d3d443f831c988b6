"""Changing the arms of a scenario one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcmab_abm.catalogue.registry import LAWS

Table = dict[str, Any]

NEW_MEAN = 0.5


def groups(market: Table) -> list[Table]:
    """The arms as a list of tables, one per law, however the file states them."""
    arms = market["arms"]
    return [dict(each) for each in arms] if isinstance(arms, list) else [dict(arms)]


def count(group: Table) -> int:
    """The number of arms that a table describes."""
    if isinstance(group.get("means"), dict):  # a prior
        return int(group.get("count") or len(group["means"]["markets"][0]))
    numbers = {word: value for word, value in group.items() if word != "law"}
    return len(LAWS[group["law"]].settings.model_validate(numbers).rows())


def means(market: Table) -> list[tuple[str, float | None]]:
    """Law and mean of every arm; the mean is None if the law has other parameters, or a prior."""
    return [
        (group["law"], group["means"][place] if _is_listed(group) else None)
        for group in groups(market)
        for place in range(count(group))
    ]


def with_mean(market: Table, arm: int, mean: float) -> Table:
    """The market with a different mean for one arm."""
    tables = groups(market)
    group, place = _find(tables, arm)
    group["means"] = [mean if at == place else old for at, old in enumerate(group["means"])]
    return market | {"arms": _folded(tables)}


def with_arm(market: Table) -> Table | None:
    """The market with one more arm; None if no law has a list of means to add to."""
    tables = groups(market)
    told = [group for group in tables if _is_listed(group)]
    if not told:
        return None
    told[-1]["means"] = [*told[-1]["means"], NEW_MEAN]
    return market | {"arms": _folded(tables)}


def gives_away(market: Table) -> bool:
    """True if the arms are listed from the best to the worst, so that the order tells the means."""
    listed = [mean for _, mean in means(market)]
    told = [mean for mean in listed if mean is not None]
    return len(listed) > 1 and told == listed and told == sorted(told, reverse=True)


def shuffled(market: Table, seed: int) -> Table | None:
    """The market with its arms in a random order; None if it has lists outside its arms."""
    tables = groups(market)
    others = {word: value for word, value in market.items() if word != "arms"}
    if len(tables) != 1 or _has_list(others):
        return None
    arms = count(tables[0])
    draws = np.random.default_rng([seed, 1])
    order = draws.permutation(arms)
    while arms > 1 and (order == np.arange(arms)).all():
        order = draws.permutation(arms)
    moved = {
        word: [value[place] for place in order]
        if isinstance(value, list) and len(value) == len(order)
        else value
        for word, value in tables[0].items()
    }
    return market | {"arms": moved}


def _has_list(value: Any) -> bool:
    """True if a table has a list anywhere, which may have an entry for each arm."""
    if isinstance(value, dict):
        return any(map(_has_list, value.values()))
    return isinstance(value, list)


def without_arm(market: Table, arm: int) -> Table:
    """The market without one arm, whose law must have a list of means."""
    tables = groups(market)
    group, place = _find(tables, arm)
    group["means"] = [kept for at, kept in enumerate(group["means"]) if at != place]
    return market | {"arms": _folded([each for each in tables if each.get("means") != []])}


def _is_listed(group: Table) -> bool:
    """True if a table lists the means of its arms."""
    return isinstance(group.get("means"), list)


def _find(tables: list[Table], arm: int) -> tuple[Table, int]:
    """The table that describes an arm, and the arm's index in it."""
    for group in tables:
        if arm < count(group):
            return group, arm
        arm -= count(group)
    raise IndexError("no such arm")


def _folded(tables: list[Table]) -> Table | list[Table]:
    # If no arm is left, validating the scenario says so.
    return tables[0] if len(tables) == 1 else tables
