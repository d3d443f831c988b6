"""Which paths are travelled most, cost most, or lead to a lock-in: small tables."""

from __future__ import annotations

from typing import Literal

import pandas as pd

from kcmab_abm.paths.record import Graph

_COLUMNS = [
    "depth",
    "visits",
    "share",
    "payment",
    "payment_so_far",
    "regret_to_come",
    "locked_in",
    "locked_runs",
    "pruned",
    "ended",
]
_SHOWN = ["path", "visits", "share", "payment_so_far", "regret_to_come", "locked_in"]


def path_table(tree: Graph) -> pd.DataFrame:
    """Every path of a prefix tree, one row each, shorter ones first."""
    rows = [
        {"path": name, **{column: node[column] for column in _COLUMNS}}
        for name, node in tree.nodes.items()
    ]
    return pd.DataFrame(rows).sort_values("depth", kind="stable", ignore_index=True)


def travelled(tree: Graph, depth: int | None = None, most: int = 10) -> pd.DataFrame:
    """The paths of one depth that most runs took.

    Where no depth is given it is the deepest at which the tree still holds half of the runs.

    >>> from kcmab_abm import make_scenario
    >>> from kcmab_abm.paths import prefix_tree
    >>> scenario = make_scenario({
    ...     "horizon": 20,
    ...     "replications": 50,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
    ...     "policy": [{"name": "greedy"}],
    ... })
    >>> tree = prefix_tree(scenario, depth=2, engine="market")
    >>> travelled(tree)[["path", "visits", "locked_in"]]
      path  visits  locked_in
    0  0-0      46        0.0
    1  1-0       4        0.0
    """
    return _best(_level(tree, depth), ["visits"], most)


def expensive(
    tree: Graph, depth: int | None = None, most: int = 10, share: float = 0.01
) -> pd.DataFrame:
    """The paths of one depth that cost the controller most on average, rare ones left out."""
    level = _level(tree, depth)
    asked = (level["share"] >= share) & (level["payment_so_far"] > 0.0)
    return _best(level[asked], ["payment_so_far", "visits"], most)


def locking(
    tree: Graph,
    depth: int | None = None,
    most: int = 10,
    by: Literal["runs", "share"] = "runs",
) -> pd.DataFrame:
    """The paths of one depth after which runs end locked in: in most runs, or most often."""
    if by not in ("runs", "share"):
        raise ValueError(f"by must be 'runs' or 'share', got {by!r}")
    level = _level(tree, depth)
    order = ["locked_runs", "locked_in"] if by == "runs" else ["locked_in", "locked_runs"]
    return _best(level[level["locked_runs"] > 0], order, most, "locked_runs")


def switch_table(switching: Graph) -> pd.DataFrame:
    """Every step from arm to arm of a switching graph, those that cost most first."""
    rows = [{"before": i, "then": j, **edge} for i, j, edge in switching.edges(data=True)]
    columns = ["before", "then", "count", "share", "payments", "payment"]
    return pd.DataFrame(rows, columns=columns).sort_values(
        ["payments", "count"], ascending=False, kind="stable", ignore_index=True
    )


def ranked_depth(tree: Graph) -> int:
    """The deepest level at which the tree still holds half of the runs, 1 at least."""
    held = path_table(tree).groupby("depth")["share"].sum()
    return max(min(1, int(held.index.max())), int(held[held >= 0.5].index.max()))


def _level(tree: Graph, depth: int | None) -> pd.DataFrame:
    deepest = tree.graph["depth"]
    if depth is None:
        depth = ranked_depth(tree)
    elif not 0 <= depth <= deepest:
        raise ValueError(f"depth must be in 0..{deepest}, the tree's, got {depth}")
    table = path_table(tree)
    return table[table["depth"] == depth]


def _best(level: pd.DataFrame, columns: list[str], most: int, *more: str) -> pd.DataFrame:
    ranked = level.sort_values(columns, ascending=False, kind="stable", ignore_index=True)
    return ranked[[*_SHOWN, *more]].head(most)
