"""The switching graph: steps from arm to arm between consecutive customers, and their costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx
import numpy as np

from kcmab_abm.model.trajectory import Floats, Ints, Trajectory
from kcmab_abm.paths.recording import Graph, arm_label, arm_name, record, unseeded
from kcmab_abm.running.options import Engine, Progress
from kcmab_abm.scenario.scenario import Scenario


@dataclass
class _Flow:
    """A number of customers and their total compensation."""

    count: int = 0
    payments: float = 0.0


class SwitchRecorder:
    """Add up customers and payments for every arm and every step from arm to arm.

    Parameters
    ----------
    means
        The true means of the arms.
    seeding
        Include customers whom the controller directs because an arm has no report yet.
    """

    def __init__(self, means: Floats, seeding: bool = False) -> None:
        self._means, self._seeding, self._runs = means, seeding, 0
        self._arms: defaultdict[int, _Flow] = defaultdict(_Flow)
        self._steps: defaultdict[tuple[int, int], _Flow] = defaultdict(_Flow)

    def add(self, run: Trajectory) -> None:
        """Add one run."""
        self._runs += 1
        shown = unseeded(run, self._seeding)
        arms, payments = run.arms[shown], run.payments[shown]
        for arm, flow in _flows(arms, payments):
            _add(self._arms[arm], flow)
        # One number per pair of arms, because sorting pairs takes fifty times as long.
        wide = len(self._means) + 1
        for pair, flow in _flows((arms[:-1] + 1) * wide + arms[1:] + 1, payments[1:]):
            before, arm = divmod(pair, wide)
            _add(self._steps[before - 1, arm - 1], flow)

    def graph(self) -> Graph:
        """The graph of all arms, with a node 'left' if some customer left."""
        switches: Graph = nx.DiGraph(kind="switching graph", seeding=self._seeding)
        gone = [-1] if -1 in self._arms else []
        for arm in [*range(len(self._means)), *gone]:
            flow = self._arms.get(arm, _Flow())
            switches.add_node(
                arm_name(arm),
                label=arm_label(arm),
                arm=arm,
                mean=float(self._means[arm]) if arm >= 0 else 0.0,
                pulls=flow.count,
                pulls_a_run=flow.count / self._runs,
                payments=flow.payments,
            )
        steps = sum(flow.count for flow in self._steps.values())
        for (before, arm), flow in sorted(self._steps.items()):
            switches.add_edge(
                arm_name(before),
                arm_name(arm),
                count=flow.count,
                share=flow.count / steps,
                payments=flow.payments,
                payment=flow.payments / flow.count,
            )
        return switches


def _flows(places: Ints, payments: Floats) -> Iterator[tuple[int, _Flow]]:
    """Each place that occurs, with its frequency and payments."""
    found, where, counts = np.unique(places, return_inverse=True, return_counts=True)
    sums = np.bincount(where, weights=payments, minlength=len(found))
    for place, count, paid in zip(found.tolist(), counts.tolist(), sums.tolist(), strict=True):
        yield place, _Flow(count, paid)


def _add(total: _Flow, part: _Flow) -> None:
    total.count += part.count
    total.payments += part.payments


def switching_graph(
    scenario: Scenario,
    policy: str | None = None,
    *,
    seeding: bool = False,
    engine: Engine = "auto",
    progress: Progress | None = None,
) -> Graph:
    """The steps from arm to arm between consecutive customers, over all replications.

    A node is an arm with its true mean, pulls and payments; customers who left have a node of their
    own. An edge i -> j stands for all customers who took j right after a customer who took i: their
    number (`count`), their share of all steps (`share`), their total compensation (`payments`) and
    its mean (`payment`).

    Parameters
    ----------
    scenario
        The scenario whose replications are replayed.
    policy
        The label of a policy; by default the first one.
    seeding
        Include customers whom the controller directs because an arm has no report yet.
    engine
        "market", "batch", or "auto" to select one.
    progress
        Called with the number of replications done and their total.

    Returns
    -------
    DiGraph
        The switching graph.

    Examples
    --------
    >>> from kcmab_abm import make_scenario
    >>> market = {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}}
    >>> size = {"horizon": 20, "replications": 50}
    >>> scenario = make_scenario({**size, "market": market, "policy": [{"name": "greedy"}]})
    >>> switches = switching_graph(scenario, engine="market")
    >>> {(i, j): edge["count"] for i, j, edge in switches.edges(data=True)}
    {('0', '0'): 844, ('0', '1'): 1, ('1', '0'): 5}
    """
    recorder = SwitchRecorder(scenario.market.means, seeding)
    return record(scenario, [recorder], policy, engine, progress)[0]
