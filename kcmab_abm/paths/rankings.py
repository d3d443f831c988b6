"""Tables of the most frequent paths, the most expensive ones, and those that lead to lock-ins."""

from __future__ import annotations

from typing import Literal

import pandas as pd

from kcmab_abm.paths.recording import Graph

_SHOWN = ["path", "visits", "share", "payment_so_far", "regret_to_come", "locked_in"]


def path_table(tree: Graph) -> pd.DataFrame:
    """All paths of a prefix tree.

    Parameters
    ----------
    tree
        A graph from `prefix_tree`.

    Returns
    -------
    DataFrame
        One row per path, short paths first.

    Examples
    --------
    >>> from kcmab_abm.paths import open_scenario, prefix_tree
    >>> scenario = open_scenario("scenarios/noisy-customers.toml", horizon=50, replications=50)
    >>> path_table(prefix_tree(scenario, depth=1, engine="market"))[["path", "visits"]]
        path  visits
    0  start      50
    1      0      13
    2      1      20
    3      2       9
    4      3       8
    """
    table = pd.DataFrame({"path": name, **node} for name, node in tree.nodes.items())
    table = table.drop(columns=["label", "arm"], errors="ignore")
    return table.sort_values("depth", kind="stable", ignore_index=True)


def travelled(tree: Graph, depth: int | None = None, most: int = 10) -> pd.DataFrame:
    """The most frequent paths.

    Parameters
    ----------
    tree
        A graph from `prefix_tree`.
    depth
        The length of the paths; by default the greatest length at which the tree still contains
        half of the runs.
    most
        The largest number of rows.

    Returns
    -------
    DataFrame
        One row per path.

    Raises
    ------
    ValueError
        If the tree has no such depth.

    Examples
    --------
    >>> from kcmab_abm.paths import open_scenario, prefix_tree
    >>> scenario = open_scenario("scenarios/noisy-customers.toml", horizon=50, replications=50)
    >>> tree = prefix_tree(scenario, depth=2, engine="market")
    >>> travelled(tree, most=2)[["path", "visits", "locked_in"]]
      path  visits  locked_in
    0  1-1       9        0.0
    1  0-0       7        0.0
    """
    return _best(_level(tree, depth), ["visits"], most)


def expensive(
    tree: Graph, depth: int | None = None, most: int = 10, share: float = 0.01
) -> pd.DataFrame:
    """The paths with the highest mean compensation.

    Parameters
    ----------
    tree, depth, most
        See `travelled`.
    share
        Leave out paths that a smaller share of the runs takes.

    Returns
    -------
    DataFrame
        One row per path on which anything was paid.

    Raises
    ------
    ValueError
        If the tree has no such depth.

    Examples
    --------
    >>> from kcmab_abm.paths import open_scenario, prefix_tree
    >>> scenario = open_scenario("scenarios/noisy-customers.toml", horizon=50, replications=50)
    >>> tree = prefix_tree(scenario, depth=4, engine="market")
    >>> expensive(tree, most=2)[["path", "payment_so_far"]].round(2)
          path  payment_so_far
    0  0-0-2-3            1.33
    1  0-0-0-3            1.00
    """
    level = _level(tree, depth)
    asked = (level["share"] >= share) & (level["payment_so_far"] > 0.0)
    return _best(level[asked], ["payment_so_far", "visits"], most)


def locking(
    tree: Graph,
    depth: int | None = None,
    most: int = 10,
    by: Literal["runs", "share"] = "runs",
) -> pd.DataFrame:
    """The paths that lead to lock-ins on a wrong arm.

    Parameters
    ----------
    tree, depth, most
        See `travelled`.
    by
        Rank by the number of locked-in runs ("runs") or by their share of the path's runs
        ("share").

    Returns
    -------
    DataFrame
        One row per path with a locked-in run.

    Raises
    ------
    ValueError
        If the tree has no such depth, or `by` is something else.

    Examples
    --------
    >>> from kcmab_abm.paths import open_scenario, prefix_tree
    >>> scenario = open_scenario("scenarios/noisy-customers.toml", horizon=50, replications=50)
    >>> tree = prefix_tree(scenario, "greedy", depth=2, engine="market")
    >>> locking(tree, most=2)[["path", "locked_runs"]]
      path  locked_runs
    0  1-1            6
    1  1-3            1
    """
    if by not in ("runs", "share"):
        raise ValueError(f"by must be 'runs' or 'share', got {by!r}")
    level = _level(tree, depth)
    order = ["locked_runs", "locked_in"] if by == "runs" else ["locked_in", "locked_runs"]
    return _best(level[level["locked_runs"] > 0], order, most, "locked_runs")


def switch_table(switching: Graph) -> pd.DataFrame:
    """All steps from arm to arm of a switching graph.

    Parameters
    ----------
    switching
        A graph from `switching_graph`.

    Returns
    -------
    DataFrame
        One row per pair of arms, the most expensive first.

    Examples
    --------
    >>> from kcmab_abm.paths import open_scenario, switching_graph
    >>> scenario = open_scenario("scenarios/noisy-customers.toml", horizon=50, replications=50)
    >>> table = switch_table(switching_graph(scenario, engine="market"))
    >>> table[["before", "then", "count"]].head(2)
      before then  count
    0      0    3    102
    1      0    2    136
    """
    rows = [{"before": i, "then": j, **edge} for i, j, edge in switching.edges(data=True)]
    columns = ["before", "then", "count", "share", "payments", "payment"]
    return pd.DataFrame(rows, columns=columns).sort_values(
        ["payments", "count"], ascending=False, kind="stable", ignore_index=True
    )


def ranked_depth(tree: Graph) -> int:
    """The greatest depth at which the tree still contains half of the runs, at least 1."""
    held = path_table(tree).groupby("depth")["share"].sum()
    return max(min(1, int(held.index.max())), int(held[held >= 0.5].index.max()))


def _level(tree: Graph, depth: int | None) -> pd.DataFrame:
    deepest = tree.graph["depth"]
    if depth is None:
        depth = ranked_depth(tree)
    elif not 0 <= depth <= deepest:
        raise ValueError(f"depth must be in 0..{deepest}, the depth of the tree, got {depth}")
    table = path_table(tree)
    return table[table["depth"] == depth]


def _best(level: pd.DataFrame, columns: list[str], most: int, *more: str) -> pd.DataFrame:
    ranked = level.sort_values(columns, ascending=False, kind="stable", ignore_index=True)
    return ranked[[*_SHOWN, *more]].head(most)
