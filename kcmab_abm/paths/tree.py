"""The prefix tree: which arms the first customers took, and what it led to."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import networkx as nx

from kcmab_abm.experiment import Engine
from kcmab_abm.paths.record import Graph, arm_label, arm_name, record, unseeded
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Trajectory, is_locked_in, late_wrong
from kcmab_abm.workers import Progress

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
    """Counts how runs begin, customer by customer, down to a depth.

    `share` prunes: prefixes that a smaller share of the runs begins with are only counted at the
    last node that is kept.
    """

    def __init__(self, depth: int = 5, share: float = 0.0, seeding: bool = False) -> None:
        if depth < 1:
            raise ValueError(f"depth must be >= 1, got {depth}")
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"share must be in [0, 1], got {share}")
        self._depth, self._share, self._seeding = depth, share, seeding
        self._sums: defaultdict[Prefix, _Sums] = defaultdict(_Sums)

    def add(self, run: Trajectory) -> None:
        """Take in one run."""
        shown = unseeded(run, self._seeding)
        arms = tuple(run.arms[shown][: self._depth].tolist())
        payments = [0.0, *run.payments[shown][: self._depth].tolist()]
        regrets = run.regrets[shown]
        locked = bool(is_locked_in(late_wrong(run).sum(), len(run)))
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
        """The tree of all prefixes that are frequent enough."""
        tree: Graph = nx.DiGraph(
            kind="prefix tree",
            depth=self._depth,
            pruned_below=float(self._share),
            seeding=self._seeding,
        )
        # Sorted, so that a parent comes before its children and the order of the runs is forgotten.
        for prefix in sorted(self._sums):
            self._place(tree, prefix)
        return tree

    def _place(self, tree: Graph, prefix: Prefix) -> None:
        sums, all_runs = self._sums[prefix], self._sums[()].visits
        visits, parent = sums.visits, prefix_name(prefix[:-1])
        if prefix and visits / all_runs < self._share:
            if parent in tree:  # else it hangs below a pruned one, which has been counted
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
    """The name of a prefix's node: its arms with dashes between them.

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
    """The tree of the arms that the first customers took, over all replications of one policy.

    A node is a beginning that runs have in common, named by its arms. It knows how many runs begin
    so (`visits`, `share`), what its last customer was paid (`payment`) and all of them together
    (`payment_so_far`), the regret of all customers after it (`regret_to_come`), each on average,
    and how many of its runs end locked in on a wrong arm (`locked_runs`, `locked_in` as a share).

    Beginnings of less than `share` of the runs are pruned and counted at the node before
    (`pruned`); runs without a further customer are counted in `ended`. So above the last level
    `visits` is `pruned + ended` and the visits of the children. The tree starts after the
    customers whom the controller directs to every arm once, unless `seeding`.

    >>> from kcmab_abm import make_scenario
    >>> scenario = make_scenario({
    ...     "horizon": 20,
    ...     "replications": 50,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
    ...     "policy": [{"name": "greedy"}],
    ... })
    >>> tree = prefix_tree(scenario, depth=2, share=0.1, engine="market")
    >>> {name: node["visits"] for name, node in tree.nodes.items()}
    {'start': 50, '0': 46, '0-0': 46}
    >>> tree.nodes["start"]["pruned"]
    4
    """
    recorder = TreeRecorder(depth, share, seeding)
    return record(scenario, [recorder], policy, engine, progress)[0]
