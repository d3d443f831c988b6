"""Compare two records: differences in settings and in results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import pandas as pd

from kcmab_abm.errors import MarketError
from kcmab_abm.results.differences import difference_rows
from kcmab_abm.results.record import Record
from kcmab_abm.scenario.paths import written, written_key

NOT_SET = "not set"
_MOST_NAMED = 5
Key = tuple[Any, ...]


@dataclass(frozen=True)
class Comparison:
    """Second minus first: changed settings, a table of differences, and notes."""

    first: Record
    second: Record
    changes: list[tuple[str, str, str]]
    table: pd.DataFrame = field(repr=False)
    notes: list[str]

    @property
    def regret_measure(self) -> str:
        """The regret to show: dynamic regret if it differs from regret anywhere."""
        tables = (self.first.finals, self.second.finals)
        same = all((table["regret"] == table["dynamic_regret"]).all() for table in tables)
        return "regret" if same else "dynamic_regret"


def compare(first: Record, second: Record) -> Comparison:
    """Differences for every policy and point that both records have."""
    if set(first.axes) != set(second.axes):
        kinds = [", ".join(each.axes) or "nothing" for each in (first, second)]
        raise MarketError(
            f"{first.folder} varies {kinds[0]}, {second.folder} varies {kinds[1]}; "
            "give two plain runs, or two sweeps over the same settings"
        )
    renamed = _renamed(first, second)
    before, after = _groups(first, first.axes, {}), _groups(second, first.axes, renamed)
    common = [key for key in before if key in after]
    if not common:
        found = "; ".join(f"{each.folder} has {_some(each.policies)}" for each in (first, second))
        raise MarketError(f"nothing to compare: the records share no policy at any point: {found}")
    common_measures = [name for name in first.measures if name in second.measures]
    same_seed = "seed" in first.axes or first.seed == second.seed
    rows = [
        {**dict(zip((*first.axes, "policy"), key, strict=True)), **row}
        for key in common
        for row in difference_rows(before[key], after[key], same_seed, measures=common_measures)
    ]
    table = pd.DataFrame(rows)
    for label, other in renamed.items():
        table["policy"] = table["policy"].replace(other, f"{other} -> {label}")
    changes = list(setting_changes(first.scenario, second.scenario))
    notes = [_how(first, second, table), *_left_out(first, before, after, second.folder)]
    notes.extend(_left_out(second, after, before, first.folder))
    for here, there in ((first, second), (second, first)):
        if alone := [name for name in here.measures if name not in there.measures]:
            notes.append(f"measures only in {here.folder}: {_some(alone)}")
    return Comparison(first, second, changes, table, notes)


def _renamed(first: Record, second: Record) -> dict[str, str]:
    """Match the two policies if each record has only one and their labels differ."""
    old, new = first.policies, second.policies
    return {new[0]: old[0]} if len(old) == len(new) == 1 and old != new else {}


def _groups(
    record: Record, axes: tuple[str, ...], renamed: dict[str, str]
) -> dict[Key, pd.DataFrame]:
    """The runs by point and policy."""
    groups = {}
    for key, runs in record.finals.groupby([*axes, "policy"], sort=False, dropna=False):
        *point, label = key
        # NaN cannot be a key: it does not equal itself.
        values = [None if value != value else value for value in point]
        groups[(*values, renamed.get(str(label), str(label)))] = runs
    return groups


def _how(first: Record, second: Record, table: pd.DataFrame) -> str:
    """The kind of interval, and the reason for it."""
    if "paired" in set(table["interval"]):
        seed = "the swept seeds" if "seed" in first.axes else f"seed {first.seed}"
        runs = int(table["first_runs"].min())
        return (
            f"paired intervals: both have {seed}, so runs with the same number share their tapes "
            f"({runs:,} common runs)"
        )
    reason = f"the seeds differ, {first.seed} and {second.seed}"
    if first.seed == second.seed:
        reason = "they have no run in common"
    return f"independent samples (Welch's intervals): {reason}, so no two runs share their tapes"


def _left_out(record: Record, own: dict[Key, Any], other: dict[Key, Any], absent: Any) -> list[str]:
    """What one record has and the other lacks, in words: policies first, then points."""
    labels = {key[-1] for key in other}
    policies = [label for label in dict.fromkeys(key[-1] for key in own) if label not in labels]
    missing = (key[:-1] for key in own if key not in other and key[-1] in labels)
    points = [
        ", ".join(
            f"{axis} = {written(value)}" for axis, value in zip(record.axes, key, strict=True)
        )
        for key in dict.fromkeys(missing)
    ]
    notes = []
    if policies:
        notes.append(f"only in {record.folder}: {_some(policies)}")
    if points:
        notes.append(f"not in {absent}: {_some(points)}")
    return notes


def _some(names: list[str]) -> str:
    more = f", and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return "; ".join(names[:_MOST_NAMED]) + more


def setting_changes(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Every setting that differs: its path, old value and new value.

    >>> list(setting_changes({"seed": 1, "horizon": 9}, {"seed": 2, "horizon": 9}))
    [('seed', '1', '2')]
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            word = f"{path}.{written_key(key)}".lstrip(".")
            yield from setting_changes(old.get(key), new.get(key), word)
    elif isinstance(old, list) and isinstance(new, list) and _entry_by_entry(old, new):
        for place, (one, other) in enumerate(zip_longest(old, new)):
            yield from setting_changes(one, other, f"{path}[{place}]")
    elif old != new:
        before, after = (NOT_SET if value is None else written(value) for value in (old, new))
        yield path, before, after


def _entry_by_entry(old: list[Any], new: list[Any]) -> bool:
    tables = all(isinstance(value, dict) for value in (*old, *new))
    return tables or len(old) == len(new)
