"""The arms of a scenario, changed one by one."""

from __future__ import annotations

from typing import Any

from kcmab_abm.catalogue import LAWS

Table = dict[str, Any]

NEW_MEAN = 0.5


def groups(market: Table) -> list[Table]:
    """The arms as a list of tables, one a law, whichever way the file says it."""
    arms = market["arms"]
    return [dict(each) for each in arms] if isinstance(arms, list) else [dict(arms)]


def count(group: Table) -> int:
    """How many arms a table describes."""
    numbers = {word: value for word, value in group.items() if word != "law"}
    return len(LAWS.find(group["law"]).settings.model_validate(numbers).rows())


def means(market: Table) -> list[tuple[str, float | None]]:
    """Law and mean of every arm; None where the law is not told by its means."""
    return [
        (group["law"], group["means"][place] if "means" in group else None)
        for group in groups(market)
        for place in range(count(group))
    ]


def with_mean(market: Table, arm: int, mean: float) -> Table:
    """The market with another mean for one arm."""
    tables = groups(market)
    group, place = _find(tables, arm)
    group["means"] = [mean if at == place else old for at, old in enumerate(group["means"])]
    return market | {"arms": _folded(tables)}


def with_arm(market: Table) -> Table | None:
    """The market with one arm more; None if no law is told by means, so that none can be added."""
    tables = groups(market)
    told = [group for group in tables if "means" in group]
    if not told:
        return None
    told[-1]["means"] = [*told[-1]["means"], NEW_MEAN]
    return market | {"arms": _folded(tables)}


def without_arm(market: Table, arm: int) -> Table:
    """The market without one arm, of a law that is told by means."""
    tables = groups(market)
    group, place = _find(tables, arm)
    group["means"] = [kept for at, kept in enumerate(group["means"]) if at != place]
    return market | {"arms": _folded([each for each in tables if each.get("means") != []])}


def _find(tables: list[Table], arm: int) -> tuple[Table, int]:
    """The table in which an arm stands, and its place there."""
    for group in tables:
        if arm < count(group):
            return group, arm
        arm -= count(group)
    raise IndexError("no such arm")


def _folded(tables: list[Table]) -> Table | list[Table]:
    # Without any arm at all the scenario's own words say what is missing.
    return tables[0] if len(tables) == 1 else tables
