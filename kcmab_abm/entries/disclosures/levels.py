"""Groups who see only their own reports, then pools of groups.

The customers of level 1 come in groups of `size`: each sees what the earlier customers of her own
group reported, and nothing else. `groups` groups of a level form a pool, for which there is one
group on the next level: its customers see everything that was reported on lower levels within the
pool, but not what others on their own level report. With n = size * groups^(levels - 1),

- customers 1 to n are on level 1, n + 1 to 2 n on level 2, and so on below the last level;
- each group of level l has size * groups^(l - 1) customers in a row, and there are
  groups^(levels - l) of them;
- everybody after that is on the last level and sees the reports of all lower levels.

With one level there is one group and everybody sees everything. The customers who are directed to
arms without reports count like all others: usually they are the first of the first group. An arm
with no report that she may see has the value `prior` to a customer who reads means.

Early luck decides what a group takes, but different groups have different luck, so together they
try all arms although no customer ever explores. Immorlica, Mao, Slivkins and Wu use two levels,
three levels, and more with a refined structure; this entry has the first two and their extension
by further pools.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kcmab_abm.catalogue.disclosure_decorator import disclosure
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book


def records(arms: int, given: Mapping[str, Any]) -> int:
    """The number of pairs of an arm and a group, of all levels together."""
    levels, groups = given["levels"], given["groups"]
    return int(arms * sum(groups ** (levels - level) for level in range(1, levels + 1)))


def power(groups: int, levels: int) -> int:
    """The number of groups of level 1 in a group that many levels higher."""
    product = 1
    for _ in range(levels):
        product *= groups
    return product


def level_of(t: int, params: Any) -> int:
    """The level of customer t, from 1."""
    each = params.size * power(params.groups, params.levels - 1)
    return int(min((t - 1) // each + 1, params.levels))


def group_of(t: int, level: int, params: Any) -> int:
    """The group of customer t within her level, from 0."""
    if level == params.levels:
        return 0
    first = (level - 1) * params.size * power(params.groups, params.levels - 1)
    return int((t - 1 - first) // (params.size * power(params.groups, level - 1)))


def place_of(level: int, group: int, arms: int, params: Any) -> int:
    """The place in memory where the record of a group begins."""
    before = 0
    for lower in range(1, level):
        before += power(params.groups, params.levels - lower)
    return (before + group) * arms


def hear(t: int, arm: int, reward: float, book: Book, memory: Any, params: Any) -> None:
    """Add a report to the record of each group that may see it."""
    level = level_of(t, params)
    group = group_of(t, level, params)
    for higher in range(level if level == 1 else level + 1, params.levels + 1):
        pool = group // power(params.groups, higher - level)
        place = place_of(higher, pool, len(book.means), params) + arm
        memory.pulls[place] += 1.0
        memory.totals[place] += reward


@disclosure(
    "levels",
    cites="Immorlica, Mao, Slivkins and Wu 2020",
    hear=hear,
    memory={"pulls": records, "totals": records},
    levels=Parameter(2, "number of levels; with 1, everybody sees everything", ge=1, le=4),
    groups=Parameter(20, "number of groups that form a pool", ge=1, le=10_000),
    size=Parameter(20, "customers in a group of level 1", ge=1, le=1_000_000),
    prior=Parameter(0.5, "value of an arm of which she sees no report", ge=0.0, le=1.0),
)
def show(t: int, book: Book, view: Book, memory: Any, params: Any) -> None:
    """Shows the reports of her own group on level 1, and of a pool of groups on higher levels."""
    level = level_of(t, params)
    place = place_of(level, group_of(t, level, params), len(book.means), params)
    for arm in range(len(view.means)):
        pulls = memory.pulls[place + arm]
        view.pulls[arm] = int(pulls)
        view.totals[arm] = memory.totals[place + arm]
        view.means[arm] = memory.totals[place + arm] / pulls if pulls > 0.0 else params.prior
