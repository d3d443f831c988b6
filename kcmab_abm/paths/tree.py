"""The prefix tree: the arms that the first customers took, and their consequences."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import networkx as nx

from kcmab_abm.model.trajectory import Trajectory, is_locked_in, late_wrong
from kcmab_abm.paths.recording import Graph, arm_label, arm_name, record, unseeded
from kcmab_abm.running.options import Engine, Progress
from kcmab_abm.scenario.scenario import Scenario

ROOT = "start"

Prefix = tuple[int, ...]


@dataclass
class _Sums:
    """Sums over the runs that begin with one prefix."""

    visits: int = 0
    payment: float = 0.0
    payment_so_far: float = 0.0
    regret_to_come: float = 0.0
    locked_in: int = 0
    ended: int = 0


class TreeRecorder:
    """Count the beginnings of runs, customer by customer.

    Parameters
    ----------
    depth
        The number of customers to follow.
    share
        Prune prefixes of a smaller share of the runs.
    seeding
        Include customers whom the controller directs because an arm has no report yet.

    Raises
    ------
    ValueError
        If the depth is below 1 or the share is outside [0, 1].
    """

    def __init__(self, depth: int = 5, share: float = 0.0, seeding: bool = False) -> None:
        if depth < 1:
            raise ValueError(f"depth must be >= 1, got {depth}")
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"share must be in [0, 1], got {share}")
        self._depth, self._share, self._seeding = depth, share, seeding
        self._sums: defaultdict[Prefix, _Sums] = defaultdict(_Sums)

    def add(self, run: Trajectory) -> None:
        """Add one run."""
        shown = unseeded(run, self._seeding)
        arms = tuple(run.arms[shown][: self._depth].tolist())
        payments = [0.0, *run.payments[shown][: self._depth].tolist()]
        regrets = run.regrets[shown]
        locked = bool(is_locked_in(late_wrong(run).max(), len(run)))
        so_far = 0.0
        for depth in range(len(arms) + 1):
            sums = self._sums[arms[:depth]]
            so_far += payments[depth]
            sums.visits += 1
            sums.payment += payments[depth]
            sums.payment_so_far += so_far
            sums.regret_to_come += float(regrets[depth:].sum())
            sums.locked_in += locked
        if len(arms) < self._depth:
            self._sums[arms].ended += 1

    def graph(self) -> Graph:
        """The tree of all sufficiently frequent prefixes."""
        tree: Graph = nx.DiGraph(
            kind="prefix tree",
            depth=self._depth,
            pruned_below=float(self._share),
            seeding=self._seeding,
        )
        # Sorted, so that parents precede children and the order of the runs does not matter.
        for prefix in sorted(self._sums):
            self._place(tree, prefix)
        return tree

    def _place(self, tree: Graph, prefix: Prefix) -> None:
        sums, all_runs = self._sums[prefix], self._sums[()].visits
        visits, parent = sums.visits, prefix_name(prefix[:-1])
        if prefix and visits / all_runs < self._share:
            if parent in tree:  # else its parent was pruned and counted
                tree.nodes[parent]["pruned"] += visits
            return
        arm = {"arm": prefix[-1]} if prefix else {}
        tree.add_node(
            prefix_name(prefix),
            label=arm_label(prefix[-1]) if prefix else ROOT,
            **arm,
            depth=len(prefix),
            visits=visits,
            share=visits / all_runs,
            payment=sums.payment / visits,
            payment_so_far=sums.payment_so_far / visits,
            regret_to_come=sums.regret_to_come / visits,
            locked_in=sums.locked_in / visits,
            locked_runs=sums.locked_in,
            pruned=0,
            ended=sums.ended,
        )
        if prefix:
            before = tree.nodes[parent]["visits"]
            tree.add_edge(parent, prefix_name(prefix), visits=visits, probability=visits / before)


def prefix_name(prefix: Prefix) -> str:
    """The name of a prefix's node: its arms, joined by dashes.

    >>> prefix_name((0, 2, -1))
    '0-2-left'
    """
    return "-".join(map(arm_name, prefix)) or ROOT


def prefix_tree(
    scenario: Scenario,
    policy: str | None = None,
    *,
    depth: int = 5,
    share: float = 0.0,
    seeding: bool = False,
    engine: Engine = "auto",
    progress: Progress | None = None,
) -> Graph:
    """The tree of the arms that the first customers took, over all replications.

    A node is a prefix that runs have in common, named by its arms. It records the number of these
    runs (`visits`, `share`); the mean compensation of its last customer (`payment`) and of all its
    customers (`payment_so_far`); the mean regret of all later customers (`regret_to_come`); and the
    number of its runs that end locked in on a wrong arm (`locked_runs`, as a share `locked_in`).

    Pruned runs are counted at the node before (`pruned`), runs without a further customer in
    `ended`. Above the last level, `visits` is therefore `pruned + ended` plus the visits of the
    children.

    Parameters
    ----------
    scenario
        The scenario whose replications are replayed.
    policy
        The label of a policy; by default the first one.
    depth
        The number of customers to follow.
    share
        Prune prefixes of a smaller share of the runs.
    seeding
        Include customers whom the controller directs because an arm has no report yet.
    engine
        "market", "batch", or "auto" to select one.
    progress
        Called with the number of replications done and their total.

    Returns
    -------
    DiGraph
        The tree, whose root is "start".

    Raises
    ------
    ValueError
        If the depth is below 1 or the share is outside [0, 1].

    Examples
    --------
    >>> from kcmab_abm import make_scenario
    >>> market = {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}}
    >>> size = {"horizon": 20, "replications": 50}
    >>> scenario = make_scenario({**size, "market": market, "policy": [{"name": "greedy"}]})
    >>> tree = prefix_tree(scenario, depth=2, share=0.1, engine="market")
    >>> {name: node["visits"] for name, node in tree.nodes.items()}
    {'start': 50, '0': 46, '0-0': 46}
    >>> tree.nodes["start"]["pruned"]
    4
    """
    recorder = TreeRecorder(depth, share, seeding)
    return record(scenario, [recorder], policy, engine, progress)[0]
